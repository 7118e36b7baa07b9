package explore_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// For every variant that is declared symmetric: exchanging two vCPUs and then
// letting something happen is letting it happen to the other and then
// exchanging, on states met by random walks.
func TestAlike(t *testing.T) {
	for _, v := range guestcode.Variants() {
		if !v.Alike {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			x := variant(t, v.Name, 3, 2)
			w, err := vmm.NewWalk(x.Machine, vmm.WalkConfig{})
			require.NoError(t, err)
			require.True(t, w.Settle())
			w.SetAlike()
			first := blocksOf(w)
			random := rand.New(rand.NewPCG(1, 2))
			for range 40 {
				load(w, first, []int{0, 1, 2})
				for range 60 {
					now := blocksOf(w)
					a, ok := pick(w, random)
					if !ok {
						break
					}
					perm := random.Perm(3) // vCPU perm[i] gets the block of i
					load(w, now, perm)
					b := a
					b.VCPU = uint8(perm[a.VCPU])
					_, err := w.Apply(b)
					require.NoError(t, err)
					exchanged := blocksOf(w)
					load(w, now, []int{0, 1, 2})
					_, err = w.Apply(a)
					require.NoError(t, err)
					plain := blocksOf(w)
					for i := range 3 {
						require.Equal(t, plain[i], exchanged[perm[i]], "%s of vcpu %d", a.Kind, i)
					}
					require.Equal(t, plain[3], exchanged[3], "shared memory")
				}
			}
			require.False(t, w.Unlike())
		})
	}
}

// blocksOf is the state of a walk: a block for each vCPU and one for memory.
func blocksOf(w *vmm.Walk) (list [][]byte) {
	for i := range w.N() {
		list = append(list, w.AppendVCPU(nil, i))
	}
	return append(list, w.AppendMemory(nil))
}

func load(w *vmm.Walk, blocks [][]byte, perm []int) {
	for i := range w.N() {
		w.LoadVCPU(perm[i], blocks[i])
	}
	w.LoadMemory(blocks[w.N()])
	w.Memory().ForgetLog()
}

// pick chooses something that can happen.
func pick(w *vmm.Walk, random *rand.Rand) (vmm.Action, bool) {
	list := w.Enabled(nil)
	if len(list) == 0 {
		return vmm.Action{}, false
	}
	return list[random.IntN(len(list))], true
}

// A lock that is wrongly declared symmetric and keeps addresses of per-CPU
// memory is searched without symmetry.
func TestNotAlike(t *testing.T) {
	x := variant(t, "mcs", 3, 1)
	want := search(t, x, explore.ReduceAll)
	x.Symmetric = true
	got := search(t, x, explore.ReduceAll)
	require.Equal(t, want.States, got.States)
	require.Positive(t, got.Restarts)
}

// What a walk writes down it can take up again, wherever it was meanwhile.
func TestBlocksComeBack(t *testing.T) {
	for _, name := range []string{"ticket-pv-kvm", "mcs", "byte-xen"} {
		x := variant(t, name, 2, 2)
		for _, fine := range []bool{false, true} {
			w, err := vmm.NewWalk(x.Machine, vmm.WalkConfig{Fine: fine})
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(3, 4))
			var states [][][]byte
			for range 400 {
				states = append(states, blocksOf(w))
				a, ok := pick(w, random)
				if !ok {
					break
				}
				_, err := w.Apply(a)
				require.NoError(t, err)
			}
			for range 400 {
				s := states[random.IntN(len(states))]
				load(w, s, []int{0, 1})
				require.Equal(t, s, blocksOf(w), name)
			}
		}
	}
}
