package elfobj

import (
	"bytes"
	"debug/elf"
	"strconv"
	"strings"
)

// sizeMember is the size of a member's header in an ar archive, in bytes: name
// 16, date 12, uid 6, gid 6, mode 8, size 10, and the two bytes of its end
// (binutils, include/aout/ar.h).
const sizeMember = 60

// maxMembers bounds an archive.
const maxMembers = 1 << 16

// members parses the objects of an archive. Its symbol table is not needed: the
// objects have their own. Members that are no ELF files are left out.
func members(name string, data []byte, errs *ErrorList) (list []*object) {
	if bytes.HasPrefix(data, []byte(magicThin)) {
		errs.add(name, "a thin archive holds names of files only; make a full one with ar rcs, or give the objects")
		return nil
	}
	if len(data) == 0 {
		errs.add(name, "no archive: it is empty")
		return nil
	}
	if !bytes.HasPrefix(data, []byte(magicArchive)) {
		errs.add(name, "no archive: it begins with %x", data[:min(len(data), 8)])
		return nil
	}
	var names string // the member "//": long names
	at := len(magicArchive)
	for n := 0; at < len(data); n++ {
		if len(data)-at < sizeMember || string(data[at+58:at+60]) != "`\n" {
			errs.add(name, "no member's header at offset %#x of the archive", at)
			return nil
		}
		if n == maxMembers {
			errs.add(name, "an archive of more than %d members", maxMembers)
			return nil
		}
		head := data[at : at+sizeMember]
		size, err := strconv.ParseUint(strings.TrimSpace(string(head[48:58])), 10, 63)
		body := data[at+sizeMember:]
		if err != nil || size > uint64(len(body)) {
			errs.add(name, "the member at offset %#x reaches beyond the end of the archive", at)
			return nil
		}
		body = body[:size:size]
		at += sizeMember + int(size+size%2)
		label := strings.TrimRight(string(head[:16]), " ")
		switch {
		case label == "/" || label == "/SYM64/" || label == "__.SYMDEF":
			continue
		case label == "//":
			names = string(body)
			continue
		}
		if label, body = memberName(label, names, body); label == "" {
			errs.add(name, "the member at offset %#x has a bad name", at)
			return nil
		}
		if o := member(name+"("+printable(label)+")", body, errs); o != nil {
			list = append(list, o)
		}
	}
	return list
}

// memberName resolves "/123" (GNU) and "#1/12" (BSD), and takes off the slash
// that ends a short name.
func memberName(label, names string, body []byte) (string, []byte) {
	if digits, ok := strings.CutPrefix(label, "#1/"); ok {
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || n > uint64(len(body)) || n > maxName {
			return "", nil
		}
		return strings.TrimRight(string(body[:n]), "\x00"), body[n:]
	}
	if digits, ok := strings.CutPrefix(label, "/"); ok {
		off, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || off >= uint64(len(names)) {
			return "", nil
		}
		long := names[off:]
		end := strings.IndexByte(long[:min(len(long), maxName)], '\n')
		if end < 0 {
			return "", nil
		}
		return strings.TrimSuffix(long[:end], "/"), body
	}
	return strings.TrimSuffix(label, "/"), body
}

// member parses one member of an archive, nil if it is no object.
func member(name string, body []byte, errs *ErrorList) *object {
	if isBitcode(body) {
		errs.add(name, ltoMessage)
		return nil
	}
	if !bytes.HasPrefix(body, []byte(magicELF)) {
		return nil
	}
	o := parse(name, body, errs)
	switch {
	case o == nil:
		return nil
	case o.typ != elf.ET_REL:
		errs.add(name, "a member of an archive is an object, not %s", o.typ)
		return nil
	case o.isLTO():
		errs.add(name, ltoMessage)
		return nil
	}
	return o
}

// ltoMessage is about objects of -flto.
const ltoMessage = "an LTO object without machine code: compile with -fno-lto, or -ffat-lto-objects"
