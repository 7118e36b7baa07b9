package elfobj

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

// ownExtern defines what the compilers' outputs only declare.
const ownExtern = "\n\t.section .extern,\"ax\"\n\t.globl pv_wait, __tls_get_addr\npv_wait:\n__tls_get_addr:\n\tret\n"

// TestOwnObjects: the object that asm writes of a source, linked here with every
// section where it is in asm's own image, gives that image. So the two sides of
// each relocation agree without a tool from outside.
func TestOwnObjects(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/*.s")
	require.NoError(t, err)
	more, err := filepath.Glob("../testdata/*.s")
	require.NoError(t, err)
	compared := 0
	for _, file := range append(files, more...) {
		t.Run(strings.TrimPrefix(file, "../testdata/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if s := string(text); strings.Contains(s, ".tbss") || strings.Contains(s, ".tdata") {
				t.Skip("thread-local storage, which Link refuses")
			}
			src := asm.Source{Name: "t.s", Text: append(text, ownExtern...)}
			want, err := asm.Assemble(asm.Options{}, src)
			require.NoError(t, err)
			obj, err := asm.AssembleObject(asm.Options{}, src)
			require.NoError(t, err)
			compared += sameAsImage(t, want, obj)
		})
	}
	assert.Greater(t, compared, 200, "sections")
}

// sameAsImage links an object at the addresses of an image and holds them equal
// but for what Link leaves out and for loads through the GOT, which stay loads
// here. It returns the number of sections that were compared.
func sameAsImage(t *testing.T, want *asm.Object, obj []byte) (compared int) {
	t.Helper()
	l := &linker{opt: Options{Text: asm.DefaultBase, PerCPUEnd: 0x1000}, globals: map[string]*definition{}, kept: map[string]string{}}
	l.read([]asm.Source{{Name: "t.o", Text: obj}})
	require.Empty(t, l.errs)
	require.NoError(t, l.survey())
	require.NoError(t, l.place())
	place := map[string]*asm.Section{}
	for i := range want.Sections {
		place[want.Sections[i].Name] = &want.Sections[i]
	}
	sections := l.objects[0].sections
	for i := range sections {
		if s := place[sections[i].name]; s != nil {
			sections[i].at = s.Addr
			if sections[i].fate == fatePerCPU { // no offset, as asm does not know of them
				sections[i].fate = fateLoaded
			}
		}
	}
	for _, d := range l.commons {
		s, ok := want.Lookup(d.sym.name)
		require.True(t, ok, d.sym.name)
		d.at = s.Addr
	}
	require.NoError(t, l.assemble())
	require.NoError(t, l.relocate())
	require.Empty(t, l.errs)
	loads := throughGOT(l)
	for i := range sections {
		s := &sections[i]
		image := place[s.name]
		if len(s.out) == 0 {
			continue
		}
		require.NotNil(t, image, s.name)
		require.LessOrEqual(t, len(s.out), len(image.Data), s.name)
		theirs := append([]byte(nil), image.Data[:len(s.out)]...)
		for _, at := range loads[s] { // opcode, ModRM and field; with REX where there is one
			copy(theirs[at-3:at+4], s.out[at-3:at+4])
		}
		if assert.Equal(t, theirs, s.out, "section %s", s.name) {
			compared++
		}
	}
	return compared
}

// throughGOT lists the fields that asm's image rewrites as ld does.
func throughGOT(l *linker) map[*section][]uint64 {
	m := map[*section][]uint64{}
	l.eachReloc(func(s *section, r rela) {
		switch r.typ {
		case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
			m[s] = append(m[s], r.off)
		}
	})
	return m
}
