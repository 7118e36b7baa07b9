# Broken C: the same mistake is there at every level.

test O0

source testdata/broken-set-O0.s

check violated exclusion 2x1

test O1

source testdata/broken-set-O1.s

check violated exclusion 2x1

test O2

source testdata/broken-set-O2.s

check violated exclusion 2x1

test Os

source testdata/broken-set-Os.s

check violated exclusion 2x1
