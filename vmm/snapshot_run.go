package vmm

// neverPause as a number of instructions is one that no run reaches.
const neverPause = 1<<64 - 1

// Retired is how many instructions all vCPUs have retired so far, the boots
// included. Those that were refused with an exception do not count.
func (m *Machine) Retired() uint64 { return m.bootWork + m.limit() - m.left }

// Over says whether the machine has its verdict.
func (m *Machine) Over() bool { return m.verdict != "" }

// SetNoSkip sets Config.NoSkip of a machine that does not run; a snapshot leaves it
// out.
func (m *Machine) SetNoSkip(on bool) { m.cfg.NoSkip = on }

// RunTo runs the machine until n instructions have retired in total, the boots
// included, or to its end, whichever comes first. It says whether the machine
// paused: it may then be saved, and goes on as if nothing had happened. At a
// pause the last instruction has retired, but if it was an exit the host has
// not looked at it yet.
func (m *Machine) RunTo(n uint64) (paused bool) {
	m.watching()
	for {
		if m.sched == nil {
			m.begin()
		}
		m.setPause(n)
		m.sched.Run()
		if m.verdict == "" {
			m.pauseAt = neverPause
			return true
		}
		if !m.booting || !m.booted() {
			return false
		}
	}
}

// setPause makes the scheduler stop once n instructions have retired in total.
func (m *Machine) setPause(n uint64) {
	m.pauseAt = neverPause
	if done := m.Retired(); n != neverPause && n <= done+m.left {
		m.pauseAt = m.left - min(n-min(n, done), m.left)
	}
}

// MPState is v's state as KVM_GET_MP_STATE tells it (patch 14 of the series): a
// halted vCPU that a kick is pending for is RUNNABLE, because the destination
// of a migration gets this state and not the kick.
func (v *VCPU) MPState() MPState {
	if (v.State == Halted || v.State == Asleep) && v.PVUnhalted {
		return Runnable
	}
	return v.State
}
