package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// The seeds' machines and a recent one. Where a value is "fitted", the seeds'
// published results were known when it was chosen: an event-level prototype
// came close to their shapes with it. It shows that they can be had, and is no
// prediction.

// spinCosts are the instruction costs of the seeds' machines: those of the
// profile default, whose PAUSE is of their time.
func spinCosts() cpu.Costs {
	return cpu.Costs{
		cpu.ClassALU: 1, cpu.ClassLoad: 4, cpu.ClassStore: 1, cpu.ClassMul: 3,
		cpu.ClassDiv:    40,                     // DIV r64 on Nehalem: 28 to 90 (Agner Fog, instruction tables)
		cpu.ClassLocked: 20,                     // LOCK XADD on Nehalem: about 20 (Agner Fog)
		cpu.ClassFence:  23,                     // MFENCE on Nehalem (Agner Fog)
		cpu.ClassPause:  10,                     // 9 to 11 on Nehalem (Agner Fog; Intel optimization manual, 2.5.4)
		cpu.ClassString: 4, cpu.ClassSystem: 10, // ours, as in the profile default
	}
}

// nehalem is what the hosts of seeds 000 and 003 have in common: Nehalem cores
// under Linux 3.x.
func nehalem(name string, mhz uint64) Profile {
	p := Profile{Name: name, MHz: mhz, CPU: spinCosts(), Policy: CFS, Fair: linux3x}
	p.Lines = mem.LineCosts{
		Fill:      p.cycles(65),  // local DRAM of Nehalem-EP: 60 to 65 ns (Molka et al., PACT 2009)
		Upgrade:   60,            // ours, as in the profile default: the shared cache's latency and a bit
		Transfer:  165,           // fitted; 65 to 83 cycles clean, more if modified (Molka et al., PACT 2009)
		Remote:    p.cycles(106), // another socket's cache: 100 to 110 ns (Molka et al., PACT 2009)
		Occupancy: 55,            // fitted
	}
	p.Exit = exits(2000)         // fitted; as in the profile default
	p.Wake = p.cycles(3000)      // fitted: 3 µs
	p.IdleExit = p.cycles(3000)  // fitted: 3 µs, of the order of a C1E exit
	p.IPI = p.cycles(1000)       // ours, because a reschedule interrupt takes about 1 µs to act on a busy pCPU
	p.Switch = p.cycles(2500)    // fitted: 2.5 µs
	p.Skew = p.cycles(1_000_000) // ours, because vCPU threads start within about a tick
	return p
}

// x5570 is the host without PLE: two Xeon X5570 of four cores, without
// hyper-threads (seeds 000 and 003; ark.intel.com).
func x5570() Profile {
	p := nehalem("x5570", 2930)
	p.PCPUs, p.SocketCores = 8, 4
	return p
}

// x7560 is the host with PLE: four Xeon X7560 of eight cores. The seeds' guests
// had 8 or 32 of them; 8 is the default here.
func x7560() Profile {
	p := nehalem("x7560", 2270)
	p.PCPUs, p.SocketCores = 8, 8
	p.PLEKind, p.PLEUsual = PLEVMX, true
	p.PLEGap = 41      // ple_gap from 2009 to 2014 (kernel 4b8d54f9)
	p.PLEWindow = 4096 // ple_window; the same for all vCPUs until v3.18
	p.PLEMax = 4096
	return p
}

// zen5 is a recent server: one EPYC of the 9005 series as far as its first 16
// cores, whose last-level caches serve eight each, with KVM as of Linux 6.x.
func zen5() Profile {
	p := Profile{Name: "zen5", MHz: 4000, // ours, because it is near the all-core boost and a round number
		PCPUs: 16, SocketCores: 8,
		Policy: CFS, Fair: linux3x, // ours: EEVDF, which newer kernels have, is not modelled
		CPU: spinCosts(),
	}
	p.CPU[cpu.ClassDiv] = 17    // ours, because Zen 3 and later divide 64 bits in 10 to 18 cycles
	p.CPU[cpu.ClassLocked] = 12 // ours, because Zen's locked operations are faster than Intel's 18 to 20
	p.CPU[cpu.ClassFence] = 40  // ours, because a fence waits for more than a locked operation does
	p.CPU[cpu.ClassPause] = 40  // ours, because Zen's PAUSE lies between Nehalem's 10 and Skylake's 140
	p.Lines = mem.LineCosts{
		Fill:      p.cycles(110), // ours, because DRAM of Genoa and Turin is at 105 to 120 ns
		Upgrade:   50,            // ours: the L3's latency
		Transfer:  p.cycles(25),  // ours, because core-to-core pings within a CCX take about 20 to 25 ns one way
		Remote:    p.cycles(90),  // ours, because they take 80 to 110 ns between CCXs
		Occupancy: 25,            // ours, because it scales with the transfer as on Nehalem
	}
	p.Exit = exits(1500) // ours, because recent cores take 1,200 to 1,800 with mitigations
	p.Wake = p.cycles(2000)
	p.IdleExit = p.cycles(1000)
	p.IPI = p.cycles(700)
	p.Switch = p.cycles(1500) // this and the three above: ours, because they shrank less than the clock grew
	p.Skew = p.cycles(1_000_000)
	p.PLEKind, p.PLEUsual = PLESVM, true
	p.PLECount, p.PLEGap = 3000, 128                                                       // pause_filter_count and _thresh of kvm_amd
	p.PLEGrow, p.PLEShrink, p.PLEMax = 2, 0, 65535                                         // pause_filter_count_grow, _shrink and _max since v4.17
	p.Poll = HaltPoll{Max: p.cycles(200_000), Start: p.cycles(10_000), Grow: 2, Shrink: 2} // halt_poll_ns and its kin in kvm_main.c
	return p
}
