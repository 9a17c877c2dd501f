; -O0  branches, phis that exchange values, switches
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define i32 @swapping(i32 %n, i32 %a, i32 %b) {
entry:
  br label %loop

loop:
  %x = phi i32 [ %a, %entry ], [ %y, %loop ]
  %y = phi i32 [ %b, %entry ], [ %z, %loop ]
  %z = phi i32 [ 0, %entry ], [ %x, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %done

done:
  %s = mul i32 %x, %y
  ret i32 %s
}

define i32 @tables(i8 %x, i64 %y) {
entry:
  switch i8 %x, label %other [ i8 3, label %a
                               i8 4, label %b
                               i8 5, label %a
                               i8 7, label %c ]

a:
  br label %b

b:
  %v = phi i32 [ 1, %a ], [ 2, %entry ]
  ret i32 %v

c:
  switch i64 %y, label %other [ i64 1, label %a
                                i64 1000, label %d
                                i64 -1, label %e ]

e:
  unreachable

d:
  br i1 false, label %a, label %other

other:
  %w = phi i32 [ 3, %entry ], [ 4, %c ], [ 5, %d ]
  ret i32 %w
}

define i1 @bits(i1 %c, i1 %d) {
entry:
  br i1 %c, label %then, label %join

then:
  %e = xor i1 %d, true
  br label %join

join:
  %r = phi i1 [ %d, %entry ], [ %e, %then ]
  ret i1 %r
}

; A default that is never taken does not lead out of the function: the barrier is where all work-items meet.
define void @never_taken(i32 %x, i1 %c, ptr addrspace(1) %p) {
entry:
  br i1 %c, label %choose, label %join

choose:
  switch i32 %x, label %never [ i32 0, label %a
                                i32 2, label %join
                                i32 4, label %b
                                i32 6, label %join ]

never:
  unreachable

a:
  store i32 1, ptr addrspace(1) %p
  br label %join

b:
  br label %join

join:
  %v = phi i32 [ 1, %entry ], [ 2, %choose ], [ 2, %choose ], [ 3, %a ], [ 4, %b ]
  call void @__hsail_barrier()
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; After a trap, work-items go on as if there had been no reason for it, each where it was.
define void @trapped(i32 %x, i1 %c, ptr addrspace(1) %p) {
entry:
  br i1 %c, label %first, label %join

first:
  %bad = icmp ugt i32 %x, 7
  br i1 %bad, label %stop, label %good

good:
  store i32 1, ptr addrspace(1) %p
  br label %join

join:
  call void @__hsail_barrier()
  %worse = icmp eq i32 %x, 3
  br i1 %worse, label %stop, label %last

stop:
  %which = phi i32 [ 1, %first ], [ 2, %join ]
  store i32 %which, ptr addrspace(1) %p
  call void @llvm.trap()
  unreachable

last:
  ret void
}

declare void @__hsail_barrier() convergent
