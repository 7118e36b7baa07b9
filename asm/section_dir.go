package asm

import "strings"

func (u *unit) plainSection(name, args string) {
	if args != "" && args != "0" {
		u.errorf("%s takes no argument", name)
	}
	u.section(name, name == ".text", name == ".data" || name == ".bss").nobits = name == ".bss"
}

// namedSection reads `.section NAME[, "flags"[, @type]]`. Flags that the first
// mention leaves out follow from the name.
func (u *unit) namedSection(directive, args string) {
	l := splitArgs(args)
	if len(l) == 0 || unquote(l[0]) == "" {
		u.errorf("%s: missing name", directive)
		return
	}
	name := unquote(l[0])
	exec, write, nobits := defaultFlags(name)
	unloaded := strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, ".note.") || name == ".comment"
	if len(l) > 1 && strings.HasPrefix(l[1], "\"") {
		flags := unquote(l[1])
		if bad := strings.Trim(flags, "awxMSGTolERd?0123456789"); bad != "" {
			u.errorf("%s: unknown flags %q", directive, flags)
		}
		exec, write = strings.Contains(flags, "x"), strings.Contains(flags, "w")
		unloaded = !strings.ContainsAny(flags, "awx")
	}
	if len(l) > 2 && strings.Contains(l[2], "nobits") {
		nobits = true
	}
	if directive == ".pushsection" {
		u.secs = append(u.secs, u.sec)
	}
	p := u.section(name, exec, write)
	if !p.used {
		p.nobits, p.unloaded = nobits, unloaded
	}
}

func defaultFlags(name string) (exec, write, nobits bool) {
	under := func(base string) bool { return name == base || strings.HasPrefix(name, base+".") }
	nobits = under(".bss") || under(".tbss")
	return under(".text") || under(".init") || under(".fini"), under(".data") || nobits, nobits
}

func (u *unit) popSection(name, _ string) {
	if len(u.secs) == 0 {
		u.errorf("%s without .pushsection", name)
		return
	}
	u.prev, u.sec = u.sec, u.secs[len(u.secs)-1]
	u.secs = u.secs[:len(u.secs)-1]
}

func (u *unit) previous(name, _ string) {
	if u.prev == nil {
		u.errorf("%s without an earlier section", name)
		return
	}
	u.sec, u.prev = u.prev, u.sec
}
