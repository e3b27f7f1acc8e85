/*
 * Replication of an encrypted SQLite file to an object store: two writers, concurrent prunes, one restore.
 * `check` runs it; one property (P = 1 … 6) a run, because each property alone needs fewer variables.
 *
 * Changes and claims are one numbered sequence. A base lies outside of it, under a random name: the state after
 * change X, with the digest of change X. Several parts, with numbers of their own, may make up one change.
 *
 * Abstractions:
 *  - A database state is the set of the commits in it (one bit each: two of writer 0, two of writer 1). A change names
 *    the state it was computed from; applied to another state it yields a state marked BAD, which no commit ever had.
 *  - A digest covers the fields of its own object, not the digest before: accepts more than SHA-256 would.
 *  - There is no lease and no clock. A takeover may begin at any time: what holds here does not depend on leases.
 *  - No object vanishes but by a prune: that a writer requires the change before its own is an assertion.
 *  - A process need not run: crash and kill are prefixes of a run. A crash that is followed by a restart is explicit.
 *  - A session is a writer with one line of its file; restarts share it. Only a file put back as an older copy is a
 *    new one. A real session ends with its process; the model thus goes on where the implementation is fenced.
 *  - Parts of a base arrive at any time after the base was begun, whatever became of its owner since.
 *  - Writers and takeovers read the replica atomically, because property 1 shows that a restore in steps yields the
 *    state at its LIST. The replica begins with change 1 and a base of it.
 *
 * Faults, one rule left out each. Rules that the protocol as described lacks: NO_CHANGE_X (TO_NEWEST is no substitute),
 * LOST_NO_FENCE, FILE_AFTER_CLAIM, KEEP_RECORD, TORN_COPY, UNSYNCED, PRUNE_EQUAL, TWO_SLOTS, DUPLICATES. Rules that it
 * has: NO_CLAIM, PLAIN_PUT, LOST_IS_SUCCESS, CONFLICT_IS_SUCCESS, OWN_IS_SUCCESS, NO_CONFIRM, NO_RECORD, RECORD_LATE,
 * ONE_SLOT, APPLY_UNFINISHED, CHANGES_FIRST, PRUNE_X, PRUNE_BASE, BASE_AHEAD. Harmless as long as change X is checked:
 * NO_FINAL_CHECK, NO_CHAIN, FIRST_PART_FIRST, LAST_COMPLETES.
 * The violation under DUPLICATES takes too long for `check`; it needs P=1, TOP=4, ONE_WAY, COMMITS_A=2, COMMITS_B=0
 * and a random search (pan.c with BITSTATE, P_RAND and T_RAND; pan -m3000 -w28 -RS3).
 *
 * The central hazard: a deleted number is a free name again. A stale owner, a slow takeover or a late PUT then creates
 * it with success; and a stale owner's base of an old change X may appear after the prune that freed X + 1. A prune
 * deletes in ascending order and spares change X of its own base; hence change X is gone before any number above it
 * becomes free, and it never comes back with its digest. A restore that still finds X at its end has read one history.
 */

#ifndef P
#define P 0                             /* 0: all properties that need no restore process */
#endif
#ifndef TOP
#define TOP 4                           /* the greatest number of a change or claim */
#endif
#ifndef BASES
#define BASES 3                         /* bases that are ever begun, with the initial one */
#endif
#ifndef LOST
#define LOST 1                          /* PUTs whose answer is lost */
#endif
#ifndef COMMITS_A
#define COMMITS_A 1
#endif
#ifndef COMMITS_B
#define COMMITS_B 1
#endif
#ifndef PRUNES
#define PRUNES 1                        /* prunes that run at once */
#endif
#ifndef REACH
#define REACH 0                         /* a situation whose occurrence is reported as a violation */
#endif
#define OCCURS(n) assert(REACH != n)
#ifdef IN_PARTS
#define PARTS_FIT (number + 1 <= TOP)
#else
#define PARTS_FIT false
#endif

/* ONE_WAY: writer 0 restarts and writer 1 takes over; otherwise both do both. COPY: file 0 is put back once. */
#ifdef ONE_WAY
#define TAKES_OVER (w == 1)
#define RESTARTS (w == 0)
#else
#define TAKES_OVER true
#define RESTARTS true
#endif

#define CHECKS(p) (P == 0 || P == p)
#define BAD 16                          /* marks a state that was never committed */
#define WITHIN(a, b) (((a) & ~(b)) == 0)

/* An object: fields in bits 0 … 14 (covered by its digest), then the digest of the object before. */
#define CHANGE 1
#define CLAIM 3
#define FIRST 4
#define LAST 8
#define WHOLE 12
#define FIELDS(kind, parts, session, nonce, from, to) \
    ((kind) | (parts) | ((session) << 4) | ((nonce) << 6) | ((from) << 7) | ((to) << 11))
#define DIGEST(o) ((o) & 32767)
#define INITIAL FIELDS(CHANGE, WHOLE, 0, 0, 0, 0)
#define KIND(o) ((o) & 3)
#define PARTS(o) ((o) & WHOLE)
#define SESSION(o) (((o) >> 4) & 3)     /* the writer; 2 is writer 0 after its file was put back */
#define NONCE(o) (((o) >> 6) & 1)
#define FROM(o) (((o) >> 7) & 15)
#define TO(o) (((o) >> 11) & 15)
#define PREVIOUS(o) ((o) >> 15)

/* A base: the parts that exist and those that may still arrive, its change X, its state, the digest of X. */
#define FIRST_THERE 1
#define LAST_THERE 2
#define FIRST_COMES 4
#define LAST_COMES 8
#define NEW_BASE(number, to, digest) (FIRST_COMES | LAST_COMES | ((number) << 4) | ((to) << 7) | ((digest) << 11))
#define NUMBER(b) (((b) >> 4) & 7)
#define STATE(b) (((b) >> 7) & 15)
#define LINK(b) ((b) >> 11)
#ifdef LAST_COMPLETES
#define COMPLETE(b) (((b) & LAST_THERE) != 0)
#else
#define COMPLETE(b) (((b) & 3) == 3)
#endif
#define GONE 64                         /* a base of which no part exists or arrives */

int object[TOP + 2];                    /* changes and claims; 0 is a free name; the last element stays free */
int bases[BASES];
byte begun = 1;
int late[2];                            /* PUTs without an answer that are still in flight, one a writer */
byte lateNumber[2];
byte lost = LOST;
byte commits[2];
byte file[2];                           /* the state of each writer's local file; survives a crash */
int records[6];                         /* three beside each file: number and digest of a PUT; survive a crash */
byte copied;                            /* COPY: 0 no copy, 1 an older copy of file 0 exists, 2 it was put back */
byte copyFile;
int copyRecords[3];
byte acknowledged;                      /* commits acknowledged as "replica has it" */
bit owner;                              /* the writer that opened its file for writing last */

/* The newest restorable state, by the rule of the restore. Computed before each use, hence no part of the state. */
hidden byte newest;                     /* the greatest number that exists */
hidden byte state;
hidden byte base;                       /* index of the newest complete base; BASES if there is none */
hidden byte restorable;
hidden byte before;
hidden byte scan;
hidden byte half;
hidden int above;
hidden int here;

/* The newest complete base with a number that is at most `limit`. */
inline newestBase(limit) {
    base = BASES; scan = 0;
    do
    :: scan == BASES -> break
    :: else ->
        if
        :: COMPLETE(bases[scan]) && NUMBER(bases[scan]) <= limit ->
            if
            :: base == BASES -> base = scan
            :: else ->
                if
                :: NUMBER(bases[scan]) >= NUMBER(bases[base]) -> base = scan
                :: else
                fi
            fi
        :: else
        fi;
        scan++
    od
}

/* Applies one object to a state; `part` says that the object before was a first part. */
inline apply(o, current, part) {
#ifdef APPLY_UNFINISHED
    /* Planted fault: the pages of a first part whose last part does not follow are applied. */
    if
    :: part && PARTS(o) != LAST -> current = current | BAD
    :: else
    fi;
#endif
    if
    :: KIND(o) == CHANGE && (PARTS(o) == WHOLE || (PARTS(o) == LAST && part)) ->
        if
        :: (current & 15) == FROM(o) -> current = (current & BAD) | TO(o)
        :: else -> current = BAD | TO(o)
        fi
    :: else
    fi;
    part = (PARTS(o) == FIRST)
}

inline restoreNewest() {
    newest = TOP;
    do
    :: newest > 0 && object[newest] == 0 -> newest--
    :: else -> break
    od;
    newestBase(newest);
    state = 0; restorable = 0; half = 0; above = 0;
    if
    :: base == BASES
    :: else ->
        restorable = (((bases[base]) & FIRST_THERE) != 0);
        state = STATE(bases[base]); above = LINK(bases[base]); scan = NUMBER(bases[base]) + 1;
        do
        :: scan > newest -> break
        :: else ->
            here = object[scan];
            if
#ifndef NO_CHAIN
            :: here == 0 || PREVIOUS(here) != above -> restorable = 0; break
#else
            :: here == 0 -> restorable = 0; break
#endif
            :: else -> apply(here, state, half); above = DIGEST(here); scan++
            fi
        od
    fi;
    above = 0; here = 0
}

/* What must hold after every request that may have changed the store; `before` is the newest state before it. */
inline checkStore() {
    restoreNewest();
    if
    :: CHECKS(1) -> assert((state & BAD) == 0)
    :: else
    fi;
    if
    :: CHECKS(2) -> assert(restorable && WITHIN(acknowledged, state))
    :: else
    fi;
    if
    :: CHECKS(4) -> assert(restorable && WITHIN(before, state))
    :: else
    fi
}

/* A PUT with If-None-Match takes effect. */
inline create(number, bytes, created) {
    restoreNewest(); before = state;
    if
    :: object[number] == 0 -> object[number] = bytes; created = 1
#ifdef PLAIN_PUT
    :: else -> object[number] = bytes; created = 1
#else
    :: else -> created = 0
#endif
    fi;
    checkStore()
}

mtype = { down, own, put, reread, taken, confirm };

#define MY_SESSION (w + ((w == 0 && copied == 2) -> 2 : 0))
#define RECORD(number, o) (DIGEST(o) | ((number) << 15))
#define RECORDED(r) (records[3 * w] == (r) || records[3 * w + 1] == (r) || records[3 * w + 2] == (r))

/*
 * The record before a PUT. TWO_SLOTS: the two newest. Otherwise the newest object known to be in the replica and all
 * PUTs since: of these, only the last one and the one that was lost can exist; with one lost PUT, three variables do.
 */
inline record() {
#ifdef RECORD_LATE
    skip
#else
#ifdef TWO_SLOTS
    records[3 * w + 1] = records[3 * w];
#endif
#ifdef ONE_SLOT
    records[3 * w + 1] = 0;
#endif
#if defined(TWO_SLOTS) || defined(ONE_SLOT)
    records[3 * w] = RECORD(number, bytes)
#else
    records[3 * w + 1] = RECORD(number, bytes)
#endif
#endif
}

/* The object `o` is known to be the newest in the replica, and this file contains what it contains. */
inline recordKnown(n, o) {
#if defined(TWO_SLOTS) || defined(ONE_SLOT)
    skip
#else
    records[3 * w] = RECORD(n, o); records[3 * w + 1] = 0
#endif
}

inline copyRecord() {
    copyRecords[0] = records[0]; copyRecords[1] = records[1]; copyRecords[2] = records[2]
}

inline recordLost() {
#if defined(TWO_SLOTS) || defined(ONE_SLOT) || defined(RECORD_LATE)
    skip
#else
    records[3 * w + 2] = RECORD(number, bytes)
#endif
}

/* A fence or the end of the process: nothing is shipped until a takeover, or a restart that passes the record. */
inline stop() {
    phase = down; bytes = 0; number = 0; link = 0; shipped = 0; claim = 0; created = 0; unfinished = 0
}

inline open() {
#ifdef FILE_AFTER_CLAIM
    if
    :: claim -> file[w] = shipped
    :: else
    fi;
#endif
    claim = 0;
    if
    :: CHECKS(2) -> owner = w; assert(WITHIN(acknowledged, file[w]))
    :: else
    fi
}

inline acknowledge(to) {
    if
    :: CHECKS(3) -> assert(WITHIN(acknowledged, to))
    :: else
    fi;
    if
    :: CHECKS(2) -> assert(owner == w || WITHIN(to, file[owner]))
    :: else
    fi;
    if
    :: CHECKS(2) || CHECKS(3) || CHECKS(5) -> acknowledged = acknowledged | (to)
    :: else
    fi;
    if
    :: w == 1 && ((to) & 3) && ((to) & 12) && object[1] == 0 -> OCCURS(4)
    :: else
    fi;
    if
    :: CHECKS(2) || CHECKS(5) -> restoreNewest(); assert(restorable && WITHIN(acknowledged, state))
    :: else
    fi
}

#define CAN_COMMIT (commits[w] < (w -> COMMITS_B : COMMITS_A))

inline commit() {
    file[w] = file[w] | (1 << (commits[w] + 2 * w)); commits[w]++
}

/* Encryption is randomised: no two objects are equal, not even those of one number with one content. */
inline ship(kind, parts) {
    bytes = FIELDS(kind, parts, MY_SESSION, (late[w] != 0 && NONCE(late[w]) == 0 -> 1 : 0), shipped, file[w]) |
        (link << 15);
    record();
    phase = put
}

/* The replica was read: its newest object becomes the one to go on from. */
inline goOn() {
    shipped = state & 15; number = newest + 1; link = DIGEST(object[newest]); bytes = 0; unfinished = 0; phase = own
}

proctype Writer(bit w) {
    mtype phase = down;
    int bytes;                          /* the object to create */
    byte number;                        /* its number */
    short link;                         /* the digest of the object before */
    byte shipped;                       /* the state of the replica up to the object before */
    bit claim;                          /* a takeover that has not claimed yet */
    bit unfinished;                     /* the last part of a change must follow */
    bit created;

    if
    :: w == 0 -> d_step {
        phase = own; number = 2; link = DIGEST(INITIAL); records[0] = RECORD(1, INITIAL)
    }
    :: else
    fi;
end:
    do
    /* Commits and ships: a change, whole or the first of two parts. */
    :: d_step { phase == own && number <= TOP && !unfinished && file[w] != shipped -> ship(CHANGE, WHOLE) }
    :: d_step { phase == own && number <= TOP && !unfinished && CAN_COMMIT -> commit(); ship(CHANGE, WHOLE) }
    :: d_step { phase == own && PARTS_FIT && !unfinished && file[w] != shipped -> ship(CHANGE, FIRST) }
    :: d_step { phase == own && PARTS_FIT && !unfinished && CAN_COMMIT -> commit(); ship(CHANGE, FIRST) }
    :: d_step { phase == own && number <= TOP && unfinished -> ship(CHANGE, LAST) }
    /* Begins a base of the newest change; its parts arrive on their own. */
    :: d_step { phase == own && begun < BASES && !unfinished && file[w] == shipped ->
        bases[begun] = NEW_BASE(number - 1, file[w], link); begun++
    }
#ifdef BASE_AHEAD
    /* Planted fault: the base contains a commit that is not shipped yet. */
    :: d_step { phase == own && begun < BASES && !unfinished && CAN_COMMIT ->
        commit(); bases[begun] = NEW_BASE(number - 1, file[w], link); begun++
    }
#endif

    /* A crash; also a takeover that is abandoned. */
    :: d_step { phase != down -> stop() }
#ifdef UNSYNCED
    /* Planted fault: a power failure loses commits from the file, but not the record of their changes. */
    :: d_step { phase != down && w == 0 && file[0] != 0 -> file[0] = 0; stop() }
#endif
#ifdef COPY
    /* File and record are copied at one moment, and the copy replaces them after a crash. */
    :: d_step { w == 0 && copied == 0 ->
        copied = 1; copyFile = file[0]; copyRecord()
    }
#ifdef TORN_COPY
    /* Planted fault: the record is copied later than the file. */
    :: d_step { w == 0 && copied == 1 -> copyRecord() }
#endif
    :: d_step { w == 0 && copied == 1 && phase == down ->
        copied = 2; file[0] = copyFile;
        records[0] = copyRecords[0]; records[1] = copyRecords[1]; records[2] = copyRecords[2];
        copyFile = 0; copyRecords[0] = 0; copyRecords[1] = 0; copyRecords[2] = 0
    }
#endif

    :: d_step { phase == put ->
        create(number, bytes, created);
        if
        :: created -> phase = confirm
#ifdef CONFLICT_IS_SUCCESS
        :: else -> phase = confirm
#else
        :: else -> phase = taken
#endif
        fi;
        created = 0
    }
    /* No answer: the PUT is in flight for an unknown time, which may be none. A takeover restores again. */
    :: d_step { phase == put && lost > 0 && late[w] == 0 ->
        lost--;
        late[w] = bytes; lateNumber[w] = number; recordLost();
#ifdef LOST_IS_SUCCESS
        phase = confirm
#else
        if
        :: claim -> stop()
        :: else -> phase = reread
        fi
#endif
    }
#ifdef DUPLICATES
    /* The client repeats a request below the writer: the first one succeeds, the second arrives at any time. */
    :: d_step { phase == put && lost > 0 && late[w] == 0 && object[number] == 0 ->
        lost--;
        late[w] = bytes; lateNumber[w] = number; recordLost();
        create(number, bytes, created);
        phase = confirm; created = 0
    }
#endif

    /* The object at the number that was taken. */
    :: d_step { phase == taken ->
        if
        :: object[number] == 0 -> phase = put
        :: else ->
            if
            :: claim || SESSION(object[number]) != MY_SESSION -> stop()
#ifdef OWN_IS_SUCCESS
            :: else -> phase = confirm
#else
            :: else -> phase = reread; OCCURS(6)
#endif
            fi
        fi
    }

    /* Reads the replica anew. Its newest object must be of this session or the one that this session began with. */
    :: d_step { phase == reread ->
        restoreNewest();
        if
#ifdef LOST_NO_FENCE
        :: restorable && newest <= TOP ->
#else
        :: restorable && (SESSION(object[newest]) == MY_SESSION || DIGEST(object[newest]) == link) ->
#endif
            goOn();
            recordKnown(newest, object[newest]);
            acknowledge(shipped)
        :: else -> stop()
        fi
    }

    /* LIST of two after a create: a greater number proves that another owner has claimed the replica. */
    :: d_step { phase == confirm ->
        restoreNewest();
        if
#ifdef NO_CONFIRM
        :: true ->
#else
        :: newest == number ->
            /* The change before is required, too. Only prunes remove objects here, and none keeps a writer from it. */
            assert(number == 1 || object[number - 1] != 0);
#endif
            recordKnown(number, bytes);
            if
            :: claim -> open()
            :: else ->
                unfinished = (PARTS(bytes) == FIRST);
                if
                :: unfinished
                :: else -> shipped = TO(bytes); acknowledge(TO(bytes))
                fi
            fi;
            link = DIGEST(bytes); number++; bytes = 0; phase = own
#ifndef NO_CONFIRM
        :: else ->
            if
            :: base == BASES
            :: else ->
                if
                :: !claim && NUMBER(bases[base]) > number -> OCCURS(2)
                :: claim && NUMBER(bases[base]) > number -> OCCURS(3)
                :: else
                fi
            fi;
            stop()
#endif
        fi
    }

    /* The record is emptied, then the restored state replaces the file, then the claim is recorded. */
    :: d_step { phase == down && TAKES_OVER ->
        restoreNewest();
        if
        :: restorable && newest < TOP ->
            goOn();
            claim = 1;
#ifndef KEEP_RECORD
            records[3 * w] = 0; records[3 * w + 1] = 0; records[3 * w + 2] = 0;
#endif
#ifndef FILE_AFTER_CLAIM
            file[w] = shipped;
#endif
#ifdef NO_CLAIM
            file[w] = shipped; open()
#else
            bytes = FIELDS(CLAIM, WHOLE, MY_SESSION, (late[w] != 0 && NONCE(late[w]) == 0 -> 1 : 0), shipped, shipped) |
                (link << 15);
            record();
            phase = put
#endif
        :: else
        fi
    }
    /* A restart keeps its file if its record knows the newest object. It writes no claim. */
    :: d_step { phase == down && RESTARTS ->
        restoreNewest();
        if
#ifdef NO_RECORD
        :: restorable && newest > 0 ->
#else
        :: restorable && RECORDED(RECORD(newest, object[newest])) ->
#endif
            goOn();
            recordKnown(newest, object[newest]);
            open();
            acknowledge(shipped)
        :: else ->
            /* Refused although no other writer has changed the replica since this file was shipped. */
            if
            :: CHECKS(6) && newest > 0 && copied != 2 -> assert((SESSION(object[newest]) & 1) != w)
            :: else
            fi
        fi
    }
    od
}

inline land() {
    create(lateNumber[w], late[w], created);
    if
    :: CHECKS(5) ->
        assert(restorable && (state & BAD) == 0 && WITHIN(before, state) && WITHIN(acknowledged, state));
        assert(newest == lateNumber[w] || state == before)
    :: else
    fi;
    if
    :: created && newest > lateNumber[w] -> OCCURS(1)
    :: else
    fi;
    late[w] = 0; lateNumber[w] = 0; created = 0; w = 0
}

#define WAITS(b) (((b) & FIRST_COMES) != 0)
#define ENDS(b) (((b) & (FIRST_COMES | LAST_COMES)) == LAST_COMES)

/* The first part is put before the last; a base that is not in parts comes as a whole. */
inline arrive(k) {
    restoreNewest(); before = state;
#ifdef BASE_IN_PARTS
    if
    :: WAITS(bases[k]) -> bases[k] = (bases[k] & ~FIRST_COMES) | FIRST_THERE
    :: else -> bases[k] = (bases[k] & ~LAST_COMES) | LAST_THERE
    fi;
#else
    bases[k] = (bases[k] & ~(FIRST_COMES | LAST_COMES)) | FIRST_THERE | LAST_THERE;
#endif
    checkStore();
    if
    :: CHECKS(5) -> assert(restorable && state == before)
    :: else
    fi
}

/* PUTs in flight take effect, if ever, at any time: also after their clients have given up. */
active proctype Network() {
    bit created;
    bit w;
end:
    do
    :: d_step { late[0] != 0 -> w = 0; land() }
    :: d_step { late[1] != 0 -> w = 1; land() }
    :: d_step { WAITS(bases[1]) || ENDS(bases[1]) -> arrive(1) }
#if BASES > 2
    :: d_step { WAITS(bases[2]) || ENDS(bases[2]) -> arrive(2) }
#endif
    od
}

inline removePart(k, part) {
    restoreNewest(); before = state;
    bases[k] = bases[k] & ~part;
    if
    :: (bases[k] & 15) == 0 -> bases[k] = GONE
    :: else
    fi;
    checkStore()
}

#define LISTED(k) ((removes & (1 << (k))) != 0)
#define LISTED_LAST(k) ((removes & (8 << (k))) != 0)

/* One part of base k, as listed: the last part first. */
inline removeBase(k) {
#ifdef FIRST_PART_FIRST
    if
    :: LISTED(k) -> removes = removes & ~(1 << k); removePart(k, FIRST_THERE)
    :: else -> removes = removes & ~(8 << k); removePart(k, LAST_THERE)
    fi
#else
#ifdef BASE_IN_PARTS
    if
    :: LISTED_LAST(k) -> removes = removes & ~(8 << k); removePart(k, LAST_THERE)
    :: else -> removes = removes & ~(1 << k); removePart(k, FIRST_THERE)
    fi
#else
    removes = removes & ~(9 << k); removePart(k, (FIRST_THERE | LAST_THERE))
#endif
#endif
}

#ifdef PRUNE_X
#define SPARED(i) ((i) > keep)
#else
#define SPARED(i) ((i) >= keep)
#endif

mtype = { idle, removing, listing };

/* Lists the bases, removes the older ones, lists the changes, removes those below; may be killed at any time. */
active [PRUNES] proctype Prune() {
    mtype phase = idle;
    byte keep;                          /* the number of the base that stays */
    byte removes;                       /* parts of bases that are to be removed */
    byte changes;                       /* changes that are to be removed: bit i is number i */
    byte k;
end:
    do
    :: d_step { phase == idle && begun > 1 ->
        newestBase(TOP);
        if
        :: base == BASES
        :: else ->
            keep = NUMBER(bases[base]); k = 0;
            do
            :: k == BASES -> break
            :: else ->
                if
#ifdef PRUNE_BASE
                :: NUMBER(bases[k]) <= keep && bases[k] != GONE ->
#else
#ifdef PRUNE_EQUAL
                :: k != base && NUMBER(bases[k]) <= keep && bases[k] != GONE ->
#else
                :: NUMBER(bases[k]) < keep && bases[k] != GONE ->
#endif
#endif
                    removes = removes | ((bases[k] & FIRST_THERE) << k) | (((bases[k] & LAST_THERE) * 4) << k)
                :: else
                fi;
                k++
            od;
            k = 0;
            if
            :: removes == 0 && (keep == 1 || object[1] == 0 && object[2] == 0 && object[3] == 0) -> keep = 0
            :: else ->
#ifdef CHANGES_FIRST
                phase = listing
#else
                phase = removing
#endif
            fi
        fi
    }
    :: d_step { phase == removing && (removes & 9) != 0 -> removeBase(0) }
    :: d_step { phase == removing && (removes & 18) != 0 -> removeBase(1) }
#if BASES > 2
    :: d_step { phase == removing && (removes & 36) != 0 -> removeBase(2) }
#endif
#ifdef CHANGES_FIRST
    :: d_step { phase == removing && removes == 0 -> phase = idle; keep = 0 }
    :: d_step { phase == listing && changes == 0 ->
#else
    :: d_step { phase == removing && removes == 0 -> phase = listing;
#endif
        k = 1;
        do
        :: k > TOP -> break
        :: else ->
            if
            :: object[k] != 0 && !SPARED(k) -> changes = changes | (1 << k)
            :: else
            fi;
            k++
        od;
        k = 0;
        if
        :: changes == 0 ->
#ifdef CHANGES_FIRST
            phase = removing
#else
            phase = idle; keep = 0
#endif
        :: else
        fi
    }
    :: d_step { phase == listing && changes != 0 ->
        k = 1;
        do
        :: (changes & (1 << k)) == 0 -> k++
        :: else -> break
        od;
        changes = changes & ~(1 << k);
        restoreNewest(); before = state;
        object[k] = 0;
        k = 0;
        checkStore();
        if
        :: changes == 0 ->
#ifdef CHANGES_FIRST
            phase = removing
#else
            phase = idle; keep = 0
#endif
        :: else
        fi
    }
    :: d_step { phase != idle -> phase = idle; keep = 0; removes = 0; changes = 0 }
    od
}

#if P == 1
mtype = { waiting, listBases, reading };

inline giveUp() {
    step = waiting; at = 0; top = 0; target = 0; listed = 0; current = 0; link = 0; part = 0; from = 0; result = 0;
    number = 0; digest = 0
}

inline list(n) {
    restoreNewest(); top = newest; listed = state; target = n; step = listBases
}

/*
 * Restores to the newest object or to any older one: two LISTs, then one GET a step, then the final check: the last
 * part of the base is still there, and so is change X with the digest that the base holds.
 */
active proctype Restore() {
    mtype step = waiting;
    byte at, top, target, current, result;
    byte listed;                        /* the newest state at the time of the first LIST */
    int link;
    bit part;
    byte from;                          /* the index of the base */
    byte number;                        /* the number of its change, X, and the digest of X */
    int digest;
end:
    do
    :: d_step { step == waiting && object[1] != 0 -> list(1) }
    :: d_step { step == waiting && object[2] != 0 -> list(2) }
    :: d_step { step == waiting && object[3] != 0 -> list(3) }
#if TOP > 3
    :: d_step { step == waiting && object[4] != 0 -> list(4) }
#endif
    :: d_step { step == listBases ->
        newestBase(target);
        if
        :: base == BASES -> giveUp()
        :: else ->
            from = base; at = NUMBER(bases[base]) + 1; link = LINK(bases[base]);
            number = NUMBER(bases[base]); digest = link; current = STATE(bases[base]);
            step = reading;
            if
            :: at > target -> result = current
            :: else
            fi
        fi
    }
#ifdef TO_NEWEST
#define END top
#else
#define END target
#endif
    :: d_step { step == reading && at <= END ->
        here = object[at];
        if
        :: here == 0 -> giveUp()
#ifndef NO_CHAIN
        :: here != 0 && PREVIOUS(here) != link -> giveUp()
#endif
        :: else ->
            apply(here, current, part);
            if
            :: at == target -> result = current
            :: else
            fi;
            link = DIGEST(here); at++
        fi;
        here = 0
    }
    :: d_step { step == reading && at > END ->
        if
#ifndef NO_FINAL_CHECK
        :: (bases[from] & LAST_THERE) == 0 || bases[from] == GONE -> OCCURS(7); giveUp()
#endif
#ifndef NO_CHANGE_X
        :: DIGEST(object[number]) != digest -> giveUp()
#endif
        :: else ->
            assert((result & BAD) == 0 && WITHIN(result, listed));
            assert(target < top || result == listed);
            if
            :: target < top && object[1] == 0 -> OCCURS(5)
            :: else
            fi;
            giveUp()
        fi
    }
    od
}
#endif

init {
    d_step {
        object[1] = INITIAL;
        bases[0] = FIRST_THERE | LAST_THERE | (1 << 4) | (DIGEST(INITIAL) << 11)
    }
    run Writer(0); run Writer(1)
}
