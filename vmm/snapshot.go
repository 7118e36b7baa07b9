package vmm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
)

// A snapshot is a header and a body, all numbers little-endian:
//
//	8 bytes   magic
//	4 bytes   version of the format
//	4 bytes   layout: a checksum over the names and types of all saved fields
//	8 bytes   length of the body in bytes
//	4 bytes   CRC-32 (IEEE) of the body
//
// The body is, one after the other: the configuration, the machine with its
// pCPUs' ports and its scheduler, and for each VM its own fields, its vCPUs
// with their cores, and its memory. Structs are written field by field as
// snapshot_codec.go says; what is left out stands in snapshot_fields.go with
// the reason.

const (
	snapshotMagic   = "spinlab\x1a" // the last byte ends the output of DOS's type
	snapshotVersion = 1
	snapshotHeader  = len(snapshotMagic) + 4 + 4 + 8 + 4

	// maxSnapshot bounds the body, in bytes: what a machine may map, and room
	// for the rest.
	maxSnapshot = 1 << 30
)

// Save writes all that decides the rest of the run. The machine must not be
// running: it has not begun, RunTo has paused it, or it is over.
func (m *Machine) Save(w io.Writer) error {
	c := &codec{m: m}
	for _, v := range m.VCPUs {
		v.Core.RFlags() // works out pending flags, so that State is whole
	}
	c.config(&m.cfg)
	c.machine()
	if c.err != nil {
		return c.err
	}
	if len(c.buf) > maxSnapshot {
		return fmt.Errorf("snapshot: %d bytes, at most %d can be saved", len(c.buf), maxSnapshot)
	}
	head := []byte(snapshotMagic)
	head = binary.LittleEndian.AppendUint32(head, snapshotVersion)
	head = binary.LittleEndian.AppendUint32(head, layout())
	head = binary.LittleEndian.AppendUint64(head, uint64(len(c.buf)))
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(c.buf))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(c.buf)
	return err
}

// Load reads what Save wrote and gives a machine that goes on from there with
// Run or RunTo. Functions are not saved: Listen sets them again. It refuses
// what is not a snapshot, is damaged, or was made by a version of this package
// whose machine has other parts.
func Load(r io.Reader) (*Machine, error) {
	body, err := readSnapshot(r)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	m, err := decodeMachine(body)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return m, nil
}

// readSnapshot returns the body if header and checksum are right.
func readSnapshot(r io.Reader) ([]byte, error) {
	head := make([]byte, snapshotHeader)
	n, err := io.ReadFull(r, head)
	switch {
	case !bytes.HasPrefix(head, []byte(snapshotMagic)[:min(n, len(snapshotMagic))]) || n == 0:
		return nil, errors.New("this is no snapshot")
	case err != nil:
		return nil, fmt.Errorf("truncated: %d bytes of a header of %d", n, len(head))
	}
	at := head[len(snapshotMagic):]
	version, layoutOf := binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
	size, sum := binary.LittleEndian.Uint64(at[8:]), binary.LittleEndian.Uint32(at[16:])
	switch {
	case version != snapshotVersion:
		return nil, fmt.Errorf("its format is version %d, this spinlab reads version %d", version, snapshotVersion)
	case layoutOf != layout():
		return nil, fmt.Errorf("it was made by another build of spinlab (layout %08x, here %08x)", layoutOf, layout())
	case size > maxSnapshot:
		return nil, fmt.Errorf("it claims %d bytes, at most %d are possible", size, maxSnapshot)
	}
	var body bytes.Buffer // grows with what is there, not with what is claimed
	got, err := io.Copy(&body, io.LimitReader(r, int64(size)+1))
	switch {
	case err != nil:
		return nil, err
	case uint64(got) < size:
		return nil, fmt.Errorf("truncated: %d bytes of %d", got, size)
	case uint64(got) > size:
		return nil, errors.New("something follows its end")
	case crc32.ChecksumIEEE(body.Bytes()) != sum:
		return nil, errors.New("damaged: its checksum is wrong")
	}
	return body.Bytes(), nil
}

// leastVCPU is less than any vCPU takes in a body, in bytes: it keeps a short
// file from asking for many.
const leastVCPU = 512

func decodeMachine(body []byte) (*Machine, error) {
	c := &codec{buf: body, load: true}
	var cfg Config
	c.config(&cfg)
	if c.err != nil {
		return nil, c.err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	total := 0
	for _, vm := range cfg.VMs {
		total += vm.VCPUs
	}
	if len(c.buf) < total*leastVCPU {
		return nil, fmt.Errorf("%d bytes left for %d vCPUs", len(c.buf), total)
	}
	c.m = newMachine(cfg)
	c.machine()
	if c.err == nil && len(c.buf) != 0 {
		c.fail("%d bytes too many", len(c.buf))
	}
	if c.err == nil {
		c.err = c.m.checkLoaded()
	}
	return c.m, c.err
}

// config is the first part of a body. The VMs of a configuration may share
// their image; loaded ones do not.
func (c *codec) config(cfg *Config) { c.value(reflect.ValueOf(cfg).Elem()) }

// machine is the rest of a body.
func (c *codec) machine() {
	m := c.m
	c.value(reflect.ValueOf(m).Elem())
	for _, vm := range m.VMs {
		c.value(reflect.ValueOf(vm).Elem())
		for _, v := range vm.VCPUs {
			c.value(reflect.ValueOf(v).Elem())
		}
		c.memory(vm.Mem)
	}
	if c.load && m.sched != nil {
		m.sched.m = m
	}
}
