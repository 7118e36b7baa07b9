package vmm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/mem"
)

// saved is a machine's snapshot.
func saved(t testing.TB, m *Machine) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Save(&b))
	return b.Bytes()
}

// resumed is m after a round trip through a file.
func resumed(t testing.TB, m *Machine) *Machine {
	t.Helper()
	l, err := Load(bytes.NewReader(saved(t, m)))
	require.NoError(t, err)
	l.Listen(Hooks{Symbolize: m.cfg.Symbolize})
	return l
}

// Every field that a machine consists of is saved, or stands in omitted with
// the reason. Who adds a field of another kind has to say how it is saved.
func TestSnapshotCoversEveryField(t *testing.T) {
	stale := map[string]bool{}
	for name := range omitted {
		stale[name] = true
	}
	seen := map[reflect.Type]bool{}
	var walk func(at string, t reflect.Type)
	walk = func(at string, typ reflect.Type) {
		switch k := typ.Kind(); {
		case k == reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				name := fieldName(typ, i)
				if delete(stale, name); omitted[name] == "" {
					walk(name, typ.Field(i).Type)
				}
			}
		case k == reflect.Array || k == reflect.Slice:
			walk(at, typ.Elem())
		case k == reflect.Pointer:
			switch e := typ.Elem(); {
			case parts[e] || owned[e]:
				walk(at, e)
			case e != reflect.TypeFor[VCPU]() && e != reflect.TypeFor[VM]() && e != reflect.TypeFor[mem.Memory]():
				t.Errorf("%s: no way to save a %s: give it a row in owned or omitted", at, typ)
			}
		case k >= reflect.Int && k <= reflect.Uint64 && k != reflect.Uintptr:
			if _, ok := limits[typ]; typ.PkgPath() != "" && !ok {
				t.Errorf("%s: %s needs a row in limits: its largest value", at, typ)
			}
		case k != reflect.Bool && k != reflect.String:
			t.Errorf("%s: no way to save a %s: give it a row in omitted", at, typ)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Machine](), reflect.TypeFor[VM](), reflect.TypeFor[VCPU]()} {
		walk(typ.String(), typ)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[mem.Page](), reflect.TypeFor[mem.Memory]()} {
		for i := range typ.NumField() {
			name := fieldName(typ, i)
			if delete(stale, name); omitted[name] == "" && !pageSaved[name] {
				t.Errorf("%s: codec.memory does not save it, and it has no row in omitted", name)
			}
		}
	}
	for name := range stale {
		t.Errorf("omitted names %s, which does not exist", name)
	}
}

// pageSaved is what codec.memory writes.
var pageSaved = map[string]bool{
	"mem.Memory.pages": true, "mem.Page.Addr": true, "mem.Page.Perm": true, "mem.Page.Private": true,
	"mem.Page.Holder": true, "mem.Page.Busy": true, "mem.Page.Owner": true, "mem.Page.Sharers": true, "mem.Page.W": true,
}

const haltAndKick = `
vcpu_main:
	test %edi, %edi
	jne 2f
	mov $1500, %ecx
1:	dec %ecx
	jne 1b
	mov $5, %eax
	mov $3, %ebx
	vmcall
	` + pass + `
2:	sti
	hlt
	mov $7, %edx
	` + pass

// A halted vCPU with a kick pending is RUNNABLE to whoever asks for its state,
// and stays both through a snapshot.
func TestSnapshotKeepsAPendingKick(t *testing.T) {
	m := machine(t, haltAndKick, 2, 2)
	v := m.VCPUs[1]
	for n := uint64(1); v.State != Halted && v.State != Asleep; n++ {
		require.True(t, m.RunTo(n))
	}
	assert.Equal(t, v.State, v.MPState())
	m.Kick(m.VCPUs[0], v)
	assert.Equal(t, Runnable, v.MPState())
	l := resumed(t, m)
	assert.Equal(t, v.State, l.VCPUs[1].State)
	assert.True(t, l.VCPUs[1].PVUnhalted)
	assert.Equal(t, Runnable, l.VCPUs[1].MPState())
	assert.Equal(t, m.Run(), l.Run())
}

// Wherever it is cut, the sleeper's run is the same: in the shadow of STI, at
// the HLT, asleep, kicked, after its wake-up.
func TestSnapshotThroughAHalt(t *testing.T) {
	whole := machine(t, haltAndKick, 2, 2)
	want := whole.Run()
	require.Equal(t, VerdictDone, want.Verdict)
	met := map[string]bool{}
	for n := uint64(0); n < whole.Retired(); n++ {
		if middle := whole.Retired() - 40; n > 40 && n < middle {
			n = min(n+61, middle)
		}
		m := machine(t, haltAndKick, 2, 2)
		require.True(t, m.RunTo(n))
		l := resumed(t, m)
		v := l.VCPUs[1]
		require.Equal(t, m.VCPUs[1].Core.Shadow, v.Core.Shadow)
		met[v.State.String()] = true
		if v.Core.Shadow == cpu.STIShadow {
			met["shadow"] = true
		}
		if v.phase == atExit && v.Core.Exit.Kind == cpu.ExitHLT {
			met["at hlt"] = true
		}
		require.Equal(t, want, l.Run(), "at %d", n)
	}
	for _, state := range []string{"shadow", "at hlt", "asleep", "runnable"} {
		assert.True(t, met[state], state)
	}
}

// TestSnapshotInTheShadow is vm-15: the shadow of STI with an interrupt pending,
// and the HLT behind it, are on both sides of a snapshot the same.
func TestSnapshotInTheShadow(t *testing.T) {
	text, err := os.ReadFile("testdata/snapshot_cases.jsonl")
	require.NoError(t, err)
	var row struct {
		caseRow
		Setup struct {
			At uint64 `json:"snapshot_at_instret"`
		}
		Expect struct {
			Restored struct {
				Shadow bool `json:"interrupt_shadow"`
			}
			Same bool `json:"same_result_as_uninterrupted"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &row))
	require.NoError(t, json.Unmarshal(text, &row.caseRow))
	require.True(t, row.Expect.Same)
	whole := caseMachine(t, row.caseRow)
	want := whole.Run()
	judgeCase(t, row.caseRow, whole, want)
	for n := range whole.Retired() {
		m := caseMachine(t, row.caseRow)
		require.True(t, m.RunTo(n))
		l := resumed(t, m)
		if n == row.Setup.At {
			assert.Equal(t, row.Expect.Restored.Shadow, l.VCPUs[0].Core.Shadow == cpu.STIShadow)
			assert.False(t, l.VCPUs[0].CanDeliver(), "not in the shadow")
			assert.Equal(t, m.VCPUs[0].IRQ, l.VCPUs[0].IRQ)
		}
		require.Equal(t, want, l.Run(), "at %d", n)
		judgeCase(t, row.caseRow, l, want)
	}
}

func TestSnapshotIsRefused(t *testing.T) {
	m := machine(t, haltAndKick, 2, 2)
	m.Note = []byte("mine")
	require.True(t, m.RunTo(100))
	good := saved(t, m)
	l, err := Load(bytes.NewReader(good))
	require.NoError(t, err)
	assert.Equal(t, "mine", string(l.Note))
	with := func(at int, x byte) []byte {
		b := bytes.Clone(good)
		b[at] ^= x
		return b
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "this is no snapshot"},
		{"foreign", []byte("\x7fELF, or what not, at some length that is enough"), "this is no snapshot"},
		{"short and foreign", []byte("hello"), "this is no snapshot"},
		{"half a header", good[:12], "truncated: 12 bytes of a header of 28"},
		{"version", with(8, 3), "its format is version 2, this spinlab reads version 1"},
		{"layout", with(12, 1), "made by another build of spinlab"},
		{"huge", with(16+7, 1), "bytes, at most 1073741824 are possible"},
		{"truncated", good[:len(good)-1], "truncated: "},
		{"longer", append(bytes.Clone(good), 0), "something follows its end"},
		{"damaged", with(len(good)/2, 4), "damaged: its checksum is wrong"},
		{"damaged sum", with(24, 1), "damaged: its checksum is wrong"},
	} {
		_, err := Load(bytes.NewReader(c.file))
		require.Error(t, err, c.name)
		assert.True(t, strings.HasPrefix(err.Error(), "snapshot: "), err)
		assert.Contains(t, err.Error(), c.want, c.name)
	}
	for n := range len(good) {
		_, err := Load(bytes.NewReader(good[:n]))
		require.Error(t, err, n)
	}
}

// seal gives a body a header that fits, so that its damage reaches the decoder.
func seal(body []byte) []byte {
	b := []byte(snapshotMagic)
	b = binary.LittleEndian.AppendUint32(b, snapshotVersion)
	b = binary.LittleEndian.AppendUint32(b, layout())
	b = binary.LittleEndian.AppendUint64(b, uint64(len(body)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
	return append(b, body...)
}

// No file makes Load panic or take more memory than its size allows, not even
// one whose checksum is right. What it accepts can be saved again, and run.
func FuzzLoad(f *testing.F) {
	m := machine(f, haltAndKick, 2, 2)
	for _, n := range []uint64{0, 1, 5, 100, 300} {
		m.RunTo(n)
		f.Add(saved(f, m), true)
		f.Add(saved(f, m)[snapshotHeader:], true)
	}
	f.Add(saved(f, m), false)
	f.Fuzz(func(t *testing.T, file []byte, sealed bool) {
		if sealed {
			file = seal(file)
		}
		m, err := Load(bytes.NewReader(file))
		if err != nil {
			return
		}
		again := saved(t, m)
		l, err := Load(bytes.NewReader(again))
		require.NoError(t, err)
		require.Equal(t, again, saved(t, l))
		l.RunTo(l.Retired() + 500)
	})
}
