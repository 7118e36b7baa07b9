package spin

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	words, open := split(`  check 'a b'  "c'd"e	f # rest`)
	assert.Zero(t, open)
	assert.Equal(t, []word{{"check", 3}, {"a b", 9}, {"c'de", 16}, {"f", 23}}, words)
	_, open = split(`check 'a`)
	assert.Equal(t, 7, open)
}

// Every mistake is told with its place, before anything runs.
func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"chek 2x2", "x.spin:1:1: unknown command chek: nearest are check,"},
		{"check 2x2", "x.spin:1:1: no expected output"},
		{"check holds 2x2", "x.spin:1:1: no code yet"},
		{"source ticket\ncheck holds 2x2\n----\nholds", "x.spin:3:1: check holds 2x2 prints nothing"},
		{"source ticket\n  check 'holds", "x.spin:2:9: the quote is not closed"},
		{"source ticket\nlock instructions <= many", "x.spin:2:22: many: a number"},
		{"source ticket\nlock instructions =< 9", "x.spin:2:19: =<: one of <=,"},
		{"source ticket\nlock cycles < 9", "x.spin:2:6: lock has no cycles; there are instructions,"},
		{"source ticket\nspin loads < 9", "x.spin:2:6: spin has no loads; there are instructions"},
		{"source ticket\nlock instructions < 9 10", "x.spin:2:23: lock METRIC OP NUMBER"},
		{"source ticket\ncheck 2x2 --max-state 5\n----", "x.spin:2:11: check has no flag --max-state: nearest are --max-states"},
		{"source ticket\ncheck 2x2 --max-states\n----", "x.spin:2:11: --max-states: N is wanted"},
		{"source ticket\ncheck 2x2 --max-states=0\n----", "x.spin:2:11: --max-states 0: a number from 1 up"},
		{"source ticket\ncheck 2x2 --trace=1\n----", "x.spin:2:11: --trace takes no value"},
		{"source ticket\ncheck 0x2\n----", "x.spin:2:7: 0x2: VCPUSxITERS"},
		{"source ticket\nrun 2xforever\n----", "x.spin:2:5: 2xforever: only a check"},
		{"source ticket\nrun 2x2 --timeout soon\n----", "x.spin:2:9: --timeout soon:"},
		{"source ticket\nrun finished 2x2", "x.spin:2:5: finished: 4x1000 (VCPUSxITERS), a verdict"},
		{"source ticket\ncheck violated exclusive", "x.spin:2:16: no property exclusive; there are exclusion,"},
		{"source ticket\ncheck violated exclusion twice", "x.spin:2:26: twice: nothing is expected here"},
		{"source ticket\nregs spin_lock eax=1\n----", "x.spin:2:16: eax=1: no register eax"},
		{"source ticket\nregs spin_lock 0x200000=1\n----", "x.spin:2:16: 0x200000=1: "},
		{"source ticket\nregs a b\n----", "x.spin:2:8: regs takes one FUNCTION, not 2"},
		{"source", "x.spin:1:1: source takes one VARIANT or FILE, not 0"},
		{"asm\n\tret", "x.spin:1:1: asm: its lines have no end"},
		{"hex 9", "x.spin:1:1: 9: "},
		{"hex a-b:90", `x.spin:1:1: a-b:90: "a-b" is no symbol`},
		{"hex\nend", "x.spin:1:1: hex: bytes are wanted"},
		{"cc -O2", "x.spin:1:1: cc FLAGS… FILE is wanted"},
		{"cc -fplugin=evil.so lock.c", "x.spin:1:4: cc -fplugin=evil.so: flags that begin with"},
		{"cc -fpass-plugin=evil.so lock.c", "x.spin:1:4: cc -fpass-plugin=evil.so: flags that begin with"},
		{"cc -o /etc/passwd lock.c", "x.spin:1:4: cc -o: flags that begin with"},
		{"budget\ncheck holds 2x2", "x.spin:1:1: budget without an end"},
		{"end", "x.spin:1:1: end without a block"},
		{"----\nx", "x.spin:1:1: ---- without a command above it"},
		{"", "x.spin:1: no commands: nothing is tested"},
		{"# later\nsource ticket\n", "x.spin:1: no commands: nothing is tested"},
		{"source ticket\nbudget\ncheck 2x2\n----\nholds\n\nend", "x.spin:3:1: check in a budget"},
		{"test", "x.spin:1:1: test NAME is wanted"},
		{strings.Repeat("\n", MaxScript+1), "x.spin:1: longer than 4 MiB"},
	} {
		_, err := Parse("x.spin", []byte(c.text))
		require.Error(t, err, c.text)
		assert.Contains(t, err.Error(), c.want)
	}
	// All at once.
	_, err := Parse("x.spin", []byte("a\nb\n\nc\n"))
	assert.Len(t, strings.Split(err.Error(), "\n"), 3)
}

// Every command and every flag of the tables is known to the parser and says
// what it is.
func TestTables(t *testing.T) {
	opts := map[string]bool{}
	for _, o := range optionTable() {
		assert.False(t, opts[o.name], "%s occurs twice", o.name)
		assert.NotEmpty(t, o.doc, o.name)
		opts[o.name] = true
	}
	used := map[string]bool{}
	for _, c := range commands() {
		assert.NotNil(t, c.plan, c.name)
		assert.NotEmpty(t, c.doc, c.name)
		assert.True(t, strings.HasPrefix(c.usage, c.name), c.usage)
		assert.Equal(t, c.kind == kindSource, c.load != nil, c.name)
		for _, f := range c.flags {
			assert.True(t, opts[f], "%s: no flag %s", c.name, f)
			used[f] = true
		}
	}
	assert.Len(t, used, len(opts), "a flag that no command takes")
	assert.Len(t, Commands(), len(commands()))
}

func TestNames(t *testing.T) {
	s, err := Parse("x.spin", []byte("source ticket\nlock locked == 1\nlock locked <= 1\ntest a\ncheck holds --define A=1 2x2\nrun done 4x1\nrun hlts < 3 4x2\ncount spin_trylock locked == 1 rdi=1\n"))
	require.NoError(t, err)
	var names []string
	for _, it := range s.Items[1:] {
		names = append(names, it.Name)
	}
	assert.Equal(t, []string{"lock_locked", "lock_locked#02", "a/check_holds_2x2", "a/run_done_4x1", "a/run_hlts_4x2", "a/count_spin_trylock_locked"}, names)
}

func run(t *testing.T, text string, cfg *Config) (*Script, []Result) {
	t.Helper()
	s, err := Parse("x.spin", []byte(text))
	require.NoError(t, err)
	return s, s.Run(cfg)
}

const script = `# a comment stays
source ticket

count lock
----
stale

  check   2x2   # so does this
----

lock instructions <= 8
`

func TestUpdate(t *testing.T) {
	s, results := run(t, script, &Config{})
	assert.Equal(t, []Status{Fail, Fail, Fail}, statuses(results))
	got := string(s.Update(results))
	want := strings.Replace(script, "stale", "lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes", 1)
	want = strings.Replace(want, "----\n\nlock ", "----\nholds\n\nlock ", 1)
	assert.Equal(t, want, got)
	again, results := run(t, got, &Config{})
	assert.Equal(t, []Status{Pass, Pass, Fail}, statuses(results), "a budget is not updated")
	assert.Equal(t, got, string(again.Update(results)))
	// What does not run keeps its block, and line ends are kept.
	dos := strings.ReplaceAll(script, "\n", "\r\n")
	s, results = run(t, dos, &Config{Only: regexp.MustCompile("^check")})
	assert.Equal(t, strings.Replace(dos, "----\r\n\r\nlock ", "----\r\nholds\r\n\r\nlock ", 1), string(s.Update(results)))
}

// Line ends, the end of the file and a byte order mark stay as they are.
func TestUpdateKeepsTheRest(t *testing.T) {
	const stale = "source ticket\ncheck 2x1\n----\n"
	for _, c := range []struct{ text, want string }{
		{stale + "stale", stale + "holds"},
		{stale + "stale\n", stale + "holds\n"},
		{"\ufeff" + stale + "stale\n", "\ufeff" + stale + "holds\n"},
		{"# a\r\n" + stale + "stale\n\r\n# b\r\n", "# a\r\n" + stale + "holds\r\n\r\n# b\r\n"},
		{stale + "stale\n\n# b\r\n", stale + "holds\n\n# b\r\n"},
		{strings.TrimSuffix(stale, "\n"), stale + "holds"},
	} {
		s, results := run(t, c.text, &Config{})
		assert.Equal(t, []Status{Fail}, statuses(results), "%q", c.text)
		assert.Equal(t, c.want, string(s.Update(results)))
	}
}

func statuses(list []Result) (s []Status) {
	for _, r := range list {
		s = append(s, r.Status)
	}
	return s
}

func TestDiff(t *testing.T) {
	_, results := run(t, script, &Config{Only: regexp.MustCompile("^count")})
	require.Len(t, results, 1)
	assert.Equal(t, "diff want got\n--- want\n+++ got\n@@ -1,1 +1,1 @@\n-stale\n+lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes\n", results[0].Diff)
}

// A source that fails is told once; what needs it is skipped, and a later
// source works.
func TestBadSource(t *testing.T) {
	_, results := run(t, "asm\n bogus\nend\nlock locked == 1\nlock loads == 1\nsource nosuch.s\nlock locked == 1\nsource ticket\nlock locked == 1\n", &Config{})
	assert.Equal(t, []Status{Error, Skip, Skip, Error, Skip, Pass}, statuses(results))
	assert.Contains(t, results[0].Message, "x.spin:2: ")
	assert.Contains(t, results[1].Message, "line 1 failed")
	assert.Contains(t, results[3].Message, "nosuch.s: ")
}

func TestShortAndOnly(t *testing.T) {
	text := "source ticket\nlock locked == 1 --long\nunlock locked == 0\n"
	_, results := run(t, text, &Config{Short: true})
	assert.Equal(t, []Status{Skip, Pass}, statuses(results))
	_, results = run(t, text, &Config{})
	assert.Equal(t, []Status{Pass, Pass}, statuses(results))
	_, results = run(t, text, &Config{Only: regexp.MustCompile("^unlock")})
	assert.Equal(t, []Status{Pass}, statuses(results))
	// A source that nobody asks for is not looked at.
	_, results = run(t, "source nosuch.s\nlock locked == 1\nsource ticket\nunlock locked == 0\n", &Config{Only: regexp.MustCompile("^unlock")})
	assert.Equal(t, []Status{Pass}, statuses(results))
}

// Bounds end a command, say which flag raises them, and never pass for a
// verdict.
func TestBounds(t *testing.T) {
	over := func(time.Duration) func() bool { return func() bool { return true } }
	endless := "asm\n.globl spin_lock, spin_unlock\nspin_lock: jmp spin_lock\nspin_unlock: ret\nend\n"
	for _, c := range []struct {
		text string
		cfg  Config
		want string
	}{
		{"source mcs\ncheck holds 3x2 --max-states 50", Config{}, "bounded"},
		{"source mcs\ncheck holds 3x2", Config{MaxStates: 50}, "bounded"},
		{"source mcs\ncheck holds 3x2", Config{MaxMemory: 1 << 10}, "bounded"},
		{"source mcs\ncheck holds 3x2 --timeout 1s", Config{Deadline: over}, "bounded"},
		{endless + "run done 2x1 --max-instructions 1000", Config{}, "got limit, wanted done"},
		{endless + "run done 2x1 --timeout 1s", Config{Deadline: over}, "not done after 1s (--timeout)"},
		{endless + "count spin_lock instructions < 10 --max-instructions 99", Config{}, "not at its end after 99 instructions"},
	} {
		_, results := run(t, c.text+"\n", &c.cfg)
		require.Len(t, results, 1)
		assert.Equal(t, Fail, results[0].Status, c.text)
		assert.Contains(t, results[0].Message, c.want, c.text)
	}
}

func TestCompilerMissing(t *testing.T) {
	_, results := run(t, "cc -O2 lock.c\nlock locked == 1\n", &Config{})
	require.Equal(t, []Status{Skip}, statuses(results))
	assert.Contains(t, results[0].Message, "no C compiler here (cc -O2 lock.c)")
}

// FuzzParse: no script crashes the parser, errors have places, and what is
// understood is written back as it was.
func FuzzParse(f *testing.F) {
	f.Add(script)
	f.Add("asm\nx: ret\nend\ncount x rdi=1\n----\n")
	f.Add("hex 90 f:c3\nbudget\ncount f bytes <= 1\nend\n")
	f.Add("litmus\nX86_64 a\n----\nTest\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("x.spin", []byte(text))
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if strings.HasPrefix(line, "x.spin:") {
					return
				}
			}
			t.Fatalf("no place: %v", err)
		}
		if got := string(s.Update(nil)); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
