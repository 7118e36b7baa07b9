package hardware

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// feature is a set of optional instructions, in the order of runner.c.
type feature uint32

// The features, with their bits of CPUID (SDM vol. 2A, CPUID).
const (
	featSSE3      feature = 1 << iota // leaf 1 ECX 0
	featCX16                          // leaf 1 ECX 13
	featMOVBE                         // leaf 1 ECX 22
	featPOPCNT                        // leaf 1 ECX 23
	featRDRAND                        // leaf 1 ECX 30
	featBMI1                          // leaf 7 EBX 3
	featBMI2                          // leaf 7 EBX 8
	featRDSEED                        // leaf 7 EBX 18
	featADX                           // leaf 7 EBX 19
	featFlushOpt                      // leaf 7 EBX 23
	featCLWB                          // leaf 7 EBX 24
	featLAHF                          // leaf 80000001 ECX 0
	featLZCNT                         // leaf 80000001 ECX 5
	featSERIALIZE                     // leaf 7 EDX 14
	featFSGSBase                      // Linux's HWCAP2 bit 1: CR4.FSGSBASE is on
	featPrefetchW                     // leaf 80000001 ECX 8
	featINVPCID                       // leaf 7 EBX 10
)

// question is struct question of runner.c.
type question struct {
	Offset, Length, Last, _ uint32

	Code  [maxCode]byte
	Regs  [16]uint64
	Flags uint64
	XMM   [16][2]uint64
	Page  [pageSize]byte
}

// reply is struct reply of runner.c.
type reply struct {
	Regs                     [16]uint64
	Flags, RIP, CR2          uint64
	Signal, Trap, Error, HLT uint32
	XMM                      [16][2]uint64
	Page                     [pageSize]byte
}

// Linux's signal number for a run that took too long.
const sigVTALRM = 26

// host is the native runner.
type host struct {
	features feature
	vendor   string
	in       *bufio.Writer
	out      *bufio.Reader
}

// startHost builds and starts the runner. Without one the test is skipped.
func startHost(t testing.TB) *host {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("NOT TESTED AGAINST A PROCESSOR: the native runner needs linux/amd64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("NOT TESTED AGAINST A PROCESSOR: no gcc to build runner.c with")
	}
	path := filepath.Join(t.TempDir(), "runner")
	text, err := exec.Command(gcc, "-O1", "-Wall", "-o", path, "runner.c").CombinedOutput()
	require.NoError(t, err, "%s", text)
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // a runner that died has been reported by ask
	})
	h := &host{in: bufio.NewWriterSize(in, 1<<16), out: bufio.NewReaderSize(out, 1<<16)}
	var hello struct {
		Features uint32
		Vendor   [12]byte
	}
	require.NoError(t, binary.Read(h.out, binary.LittleEndian, &hello))
	h.features, h.vendor = feature(hello.Features), string(hello.Vendor[:])
	return h
}

// ask runs a batch. Results come in the order of the cases.
func (h *host) ask(cases []*testCase) ([]reply, error) {
	sent := make(chan error, 1)
	go func() { sent <- h.send(cases) }()
	list := make([]reply, len(cases))
	buf := make([]byte, binary.Size(reply{}))
	for i := range list {
		if _, err := io.ReadFull(h.out, buf); err != nil {
			return nil, fmt.Errorf("the runner died on case %d of its batch (%w):\n%s", i, err, cases[i].listing())
		}
		if _, err := binary.Decode(buf, binary.LittleEndian, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, <-sent
}

func (h *host) send(cases []*testCase) error {
	buf := make([]byte, binary.Size(question{}))
	for i, c := range cases {
		q := question{Offset: uint32(c.Offset), Length: uint32(len(c.Code)), Regs: c.Regs, Flags: c.Flags, XMM: c.XMM, Page: *c.page()}
		copy(q.Code[:], c.Code)
		if i == len(cases)-1 {
			q.Last = 1
		}
		if _, err := binary.Encode(buf, binary.LittleEndian, &q); err != nil {
			return err
		}
		if _, err := h.in.Write(buf); err != nil {
			return err
		}
	}
	return h.in.Flush()
}

// outcome turns a reply into what is compared. RF is in the flags that a fault
// saves and means nothing here (SDM vol. 3B, 17.3.1.1).
func (r *reply) outcome() (o outcome, err error) {
	const rf = 1 << 16
	if r.Signal == sigVTALRM {
		return o, fmt.Errorf("did not end: at rip %#x after a second", r.RIP)
	}
	return outcome{Regs: r.Regs, Flags: r.Flags &^ rf, RIP: r.RIP, XMM: r.XMM, HLT: r.HLT != 0,
		Vector: uint8(r.Trap), Error: r.Error, CR2: r.CR2, Page: r.Page}, nil
}
