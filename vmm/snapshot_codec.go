package vmm

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"spinlab/mem"
)

// codec writes values to buf, or reads them from it. One walk serves both
// directions, so that they cannot disagree:
//
//	bool, integers   as many bytes as they have; int has 8
//	string, []byte   length in 4 bytes, bytes
//	slice            length in 4 bytes, elements; array: elements
//	struct           its fields in order, but those that are omitted
//	*VCPU, *VM, …    a number, see refs
//	other pointers   0, or 1 and what they point to; see owned and parts
type codec struct {
	m    *Machine
	buf  []byte
	load bool
	err  error
}

func (c *codec) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// word moves n bytes (1 to 8) between x and the buffer.
func (c *codec) word(x *uint64, n int) {
	var b [8]byte
	if !c.load {
		binary.LittleEndian.PutUint64(b[:], *x)
		c.buf = append(c.buf, b[:n]...)
		return
	}
	if len(c.buf) < n {
		c.fail("its body ends too early")
		c.buf = nil
		*x = 0
		return
	}
	copy(b[:], c.buf[:n])
	c.buf = c.buf[n:]
	*x = binary.LittleEndian.Uint64(b[:])
}

// length moves the length of something whose elements take at least one byte
// each.
func (c *codec) length(n int) int {
	x := uint64(n)
	c.word(&x, 4)
	if c.load && x > uint64(len(c.buf)) {
		c.fail("a list of %d elements in %d bytes", x, len(c.buf))
		return 0
	}
	return int(x)
}

// value moves v, which must be addressable.
func (c *codec) value(v reflect.Value) {
	if c.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		x := uint64(0)
		if v.Bool() {
			x = 1
		}
		if c.word(&x, 1); c.load {
			v.SetBool(x != 0)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x := v.Uint()
		if c.word(&x, int(v.Type().Size())); c.load {
			c.limit(v.Type(), x)
			v.SetUint(x)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x := uint64(v.Int())
		size := int(v.Type().Size())
		if c.word(&x, size); c.load {
			v.SetInt(int64(x<<(64-8*size)) >> (64 - 8*size))
		}
	case reflect.String:
		b := []byte(v.String())
		if c.bytes(&b); c.load {
			v.SetString(string(b))
		}
	case reflect.Array:
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Slice:
		c.slice(v)
	case reflect.Struct:
		c.fields(v)
	case reflect.Pointer:
		c.pointer(v)
	default:
		c.fail("%s cannot be saved", v.Type())
	}
}

func (c *codec) bytes(b *[]byte) {
	n := c.length(len(*b))
	if !c.load {
		c.buf = append(c.buf, *b...)
		return
	}
	*b = append([]byte(nil), c.buf[:n]...)
	c.buf = c.buf[n:]
}

// slice moves a slice; one of parts keeps its length.
func (c *codec) slice(v reflect.Value) {
	elem := v.Type().Elem()
	if elem.Kind() == reflect.Uint8 {
		b := v.Bytes()
		if c.bytes(&b); c.load {
			v.SetBytes(b)
		}
		return
	}
	n := c.length(v.Len())
	if elem.Kind() == reflect.Pointer && parts[elem.Elem()] {
		if n != v.Len() {
			c.fail("%d of %s where there are %d", n, elem, v.Len())
		}
	} else if c.load {
		v.SetZero() // grows element by element: no more memory than the body allows
		for range n {
			x := reflect.New(elem).Elem()
			if c.value(x); c.err != nil {
				return
			}
			v.Set(reflect.Append(v, x))
		}
		return
	}
	for i := range v.Len() {
		c.value(v.Index(i))
	}
}

func (c *codec) fields(v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		if _, skip := omitted[fieldName(t, i)]; skip {
			continue
		}
		f := v.Field(i)
		if !t.Field(i).IsExported() {
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		}
		c.value(f)
	}
}

// fieldName is how omitted names field i of t: "vmm.Machine.cfg".
func fieldName(t reflect.Type, i int) string { return t.String() + "." + t.Field(i).Name }

func (c *codec) pointer(v reflect.Value) {
	if c.ref(v) {
		return
	}
	switch t := v.Type().Elem(); {
	case parts[t]:
		c.value(v.Elem())
	case owned[t]:
		there := uint64(0)
		if !v.IsNil() {
			there = 1
		}
		if c.word(&there, 1); there == 0 {
			return
		}
		if c.load {
			v.Set(reflect.New(t))
		}
		c.value(v.Elem())
	default:
		c.fail("%s cannot be saved", v.Type())
	}
}

// ref moves a pointer to a thing that has a number: 0 for nil, else one more
// than the number. It says whether v is one.
func (c *codec) ref(v reflect.Value) bool {
	switch x := v.Interface().(type) {
	case *VCPU:
		list := c.m.VCPUs
		moveRef(c, v, len(list), x == nil, func() int { return x.ID }, func(i int) any { return list[i] })
	case *VM:
		list := c.m.VMs
		moveRef(c, v, len(list), x == nil, func() int { return x.Index }, func(i int) any { return list[i] })
	case *mem.Memory:
		list := c.m.VMs
		moveRef(c, v, len(list), x == nil, func() int { return c.owner(x) }, func(i int) any { return list[i].Mem })
	default:
		return false
	}
	return true
}

func moveRef(c *codec, v reflect.Value, n int, null bool, number func() int, thing func(int) any) {
	x := uint64(0)
	if !c.load && !null {
		x = uint64(number()) + 1
	}
	if c.word(&x, 4); !c.load {
		return
	}
	switch {
	case x > uint64(n):
		c.fail("%s number %d of %d", v.Type(), x, n)
	case x == 0:
		v.SetZero()
	default:
		v.Set(reflect.ValueOf(thing(int(x) - 1)))
	}
}

// owner is the index of the VM whose memory x is.
func (c *codec) owner(x *mem.Memory) int {
	for _, vm := range c.m.VMs {
		if vm.Mem == x {
			return vm.Index
		}
	}
	c.fail("a port points to a memory of no VM")
	return -1
}

// limit checks the value of an enumeration: others index tables with it.
func (c *codec) limit(t reflect.Type, x uint64) {
	if most, ok := limits[t]; ok && x > most {
		c.fail("%d is no %s", x, t)
	}
}

// layout is a checksum over the names and types of everything that is saved.
var layout = sync.OnceValue(func() uint32 {
	var b strings.Builder
	for _, t := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Machine](), reflect.TypeFor[VM](), reflect.TypeFor[VCPU]()} {
		describe(&b, t, map[reflect.Type]bool{})
	}
	return crc32.ChecksumIEEE([]byte(b.String()))
})

// describe writes down t as value moves it.
func describe(b *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintf(b, "%s %s;", t, t.Kind())
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Pointer:
		if e := t.Elem(); t.Kind() != reflect.Pointer || parts[e] || owned[e] {
			describe(b, e, seen)
		}
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			if _, skip := omitted[fieldName(t, i)]; !skip {
				fmt.Fprintf(b, "%s ", t.Field(i).Name)
				describe(b, t.Field(i).Type, seen)
			}
		}
	}
}
