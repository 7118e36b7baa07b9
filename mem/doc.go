// Package mem is the memory side of the simulated machine: guest-physical
// pages, one x86-TSO store buffer per core, and a directory that knows which
// core holds which cache line.
//
// The story of one store: a core calls Port.Store; the bytes wait in the
// port's FIFO buffer (Owens, Sarkar, Sewell 2009: "x86-TSO"), the core's own
// loads see them byte by byte, nobody else does. Some time later the oldest
// entry commits: its bytes reach the pages and its cache line moves to this
// core. A locked RMW, a fence or a serializing instruction acts only when the
// own buffer is empty (SDM vol. 3A, 9.2.3.9 and 9.3).
//
// The story of one load: every byte comes from the youngest own buffered store
// that covers it, else from the page. A load or store of up to eight bytes
// inside one 64-byte line is atomic; one that crosses a line is two pieces.
//
// The directory keeps the owner and the sharers of each line. What a core holds
// it may use at once (fastport.go) until the directory, when another core wins
// the line, takes just that line from the port's hot ones.
//
// Time: the package knows cycles only as numbers that callers pass in. In the
// timed mode a store becomes ready when its line has been won; whoever drives
// the machine commits what is ready, in time order. The explorer ignores time
// and commits when it likes.
//
// Nothing here knows an instruction, a hypercall or a scheduler.
package mem
