"""The cases: for each class of faults, the faults and the kind of run. `quick` ones are part of every test run, the others of the full
matrix."""


class Case:
    def __init__(self, faults, config="calm", quick=True, slow=False, direct=True, least=1, duration=None,
                 gives_up_after_s=None, write_through=True):
        self.faults = [faults] if isinstance(faults, str) else faults
        self.config, self.quick, self.slow, self.direct, self.duration = config, quick, slow, direct, duration
        self.write_through = write_through
        self.gives_up_after_s = gives_up_after_s  # by then ioproof has reported the fault; the file system ends, to release it
        self.least = least  # with fewer exposed faults the case shows nothing


def more(faults, **options):
    return Case(faults, quick=False, **options)


def on_busy(fault, count=8, rate=0.004, **options):
    return Case(f"{fault}rate={rate},count={count}", config="busy", **options)


PLACES = ["pages=0", "pages=last", "middle=1"]

CASES = {
    "none": [Case([], config="busy", least=0), Case([], least=0), more([], config="busy", direct=False, least=0),
             more([], config="busy", duration=20, least=0)],
    "stale_read": [Case("stale_read:nth=300,count=3", least=3), Case("stale_read:nth=300,count=2,reads=5", least=2),
                   on_busy("stale_read:"), more("stale_read:nth=300,count=2,reads=14", least=2)],
    "lost_write": [Case("lost_write:nth=300,count=3", least=3), on_busy("lost_write:"),
                   Case("lost_write:whole=1,nth=500", least=2), Case("lost_write:min_writes=1,nth=150,count=3", least=3),
                   more("stale_read:nth=300,count=2,reads=0", least=2)],
    # Each shows only if the page is read twice before its next write: many, for one to show on any machine.
    "reverted_page": [on_busy("reverted_page:", count=20), more("reverted_page:rate=0.02,count=20", config="busy")],
    "torn_page": [Case("torn_page:op=write,nth=300,count=3", least=3), Case("torn_page:op=write,unit=4096,nth=300,count=3", least=3),
                  Case("torn_page:nth=300,count=2", least=2), on_busy("torn_page:op=write,"), more("torn_page:unit=4096,nth=300", least=1)],
    "misdirected_write": [Case("misdirected_write:nth=300,count=2", least=3), Case("misdirected_write:to=far,nth=300,count=2", least=3),
                          Case("misdirected_write:to=other,nth=300,count=2", least=2), on_busy("misdirected_write:to=far,", count=4),
                          more("misdirected_write:rate=0.003,count=4", config="busy"),
                          more("misdirected_write:to=other,rate=0.003,count=4", config="busy")],
    "misdirected_read": [Case("misdirected_read:nth=300,count=2", least=2), Case("misdirected_read:to=far,nth=300,count=2,reads=3", least=2),
                         Case("misdirected_read:to=other,nth=300,count=2", least=2), on_busy("misdirected_read:to=far,"),
                         more("misdirected_read:to=far,nth=300,count=2,reads=0", least=2)],
    "zeroed_page": [Case("zeroed_page:op=write,nth=300,count=3", least=3), Case("zeroed_page:nth=300,count=2", least=2),
                    Case("zeroed_page:op=write,min_writes=1,nth=300,count=2", least=2), on_busy("zeroed_page:op=write,"),
                    more("zeroed_page:nth=300,count=2,reads=0", least=2)],
    "bytes_not_read": [Case("bytes_not_read:nth=300,count=2", least=2), Case("bytes_not_read:bytes=4096,nth=300,count=2", least=2),
                       Case("bytes_not_read:bytes=512,nth=300,count=2,reads=0", least=2), more("bytes_not_read:bytes=8,nth=300", least=1),
                       on_busy("bytes_not_read:bytes=1024,", quick=False)],
    "bit_corruption": [Case("bit_corruption:op=write,nth=300,count=3", least=3), Case("bit_corruption:nth=300,count=2", least=2),
                       Case("bit_corruption:op=write,bits=7,nth=300,count=2", least=2),
                       Case("bit_corruption:op=write,sector=1,nth=300,count=2", least=2),
                       Case("bit_corruption:op=write,shift=8,nth=300,count=2", least=2),
                       more("bit_corruption:op=write,shift=512,nth=300,count=2", least=2),
                       more("bit_corruption:op=write,shift=1,nth=300,count=2", least=2),
                       on_busy("bit_corruption:op=write,bits=3,")],
    "foreign_page": [Case("foreign_page:op=write,nth=300,count=2", least=2), Case("foreign_page:op=write,source=run,nth=300,count=2", least=2),
                     Case("foreign_page:source=run,nth=300,count=2", least=2), on_busy("foreign_page:op=write,", quick=False)],
    "future_version": [Case("future_version:op=write,nth=300,count=2", least=2), Case("future_version:nth=300,count=2", least=2),
                       on_busy("future_version:op=write,", quick=False)],
    "short_transfer": [Case("short_transfer:nth=700,count=2,min_writes=1"), Case("short_transfer:nth=700,reads=0,min_writes=1"),
                       Case("short_transfer:op=write,nth=12,min_writes=0"), more("short_transfer:bytes=512,nth=700,count=2,min_writes=1"),
                       on_busy("short_transfer:", count=4, quick=False)],
    "io_error": [Case("io_error:nth=700,min_writes=1"), Case("io_error:nth=700,min_writes=1,reads=3"),
                 Case("io_error:nth=700,min_writes=1,reads=0"), Case("io_error:op=write,nth=12,min_writes=0"),
                 more("io_error:op=write,nth=1,count=6,pages=128-300,min_writes=0"), on_busy("io_error:", count=4, quick=False),
                 more("io_error:error=61,nth=700,min_writes=1")],
    # Syncs fail at the creation of the files, at a checkpoint, at a commit; and a device fails from the first write on.
    "sync_error": [Case("io_error:op=sync,file=one.mdx", write_through=False),
                   Case("io_error:op=sync,file=two.mdx,nth=2", write_through=False),
                   Case("io_error:op=sync,file=log.ldx,nth=4", write_through=False),
                   more("io_error:op=sync,file=*.mdx,nth=3", write_through=False, config="busy")],
    "dead": [Case("io_error:op=write,file=one.mdx,count=1000,min_writes=0"),
             Case("io_error:op=write,file=log.ldx,count=1000,min_writes=0")],
    "log": [Case("lost_write:file=*.ldx", config="once"), Case("bit_corruption:file=*.ldx,op=write", config="once"),
            Case("stale_block:file=*.ldx,op=write", config="once"), Case("bit_corruption:file=*.ldx,reads=2", config="once"),
            more("stale_block:file=*.ldx,reads=1", config="once"), more("lost_write:file=*.ldx,back=1", config="once"),
            more("zeroed_page:file=*.ldx,op=write", config="once"), more("bit_corruption:file=*.ldx,op=write,back=2", config="once"),
            more("bit_corruption:file=*.ldx,op=write"), more("io_error:file=*.ldx,op=write,min_writes=0,nth=10", config="once"),
            more("bit_corruption:file=*.ldx,op=write,bits=1", config="busy")],
    "places": [Case(f"{fault},{place}", config=config, least=1, quick=quick)
               for place in PLACES
               for fault, config, quick in (("lost_write:nth=1", "calm", True), ("stale_read:nth=1", "calm", True),
                                            ("bit_corruption:op=write,nth=1", "calm", False), ("torn_page:op=write,nth=1", "calm", False),
                                            ("zeroed_page:nth=1", "calm", False))],
    "two_at_once": [Case(["lost_write:pages=70", "bit_corruption:op=write,pages=71"], least=2),
                    Case(["torn_page:op=write,pages=200", "misdirected_read:pages=203,to=far", "stale_read:pages=204"], least=3),
                    more(["lost_write:rate=0.002,count=4", "bit_corruption:op=write,rate=0.002,count=4", "zeroed_page:rate=0.002,count=4",
                          "stale_read:rate=0.002,count=4,reads=2"], config="busy")],
    # I/O that SQL Server added since SQLIOSim: files of backups, the log when a backup reads it, tempdb, reads of 1 to 2 MB.
    "backup": [Case("lost_write:file=*.bak,min_writes=1,nth=60,count=2", config="backup", least=2),
               Case("bit_corruption:file=*.bak,op=write,min_writes=1,nth=60,count=2", config="backup", least=2),
               Case("misdirected_read:file=*.bak,min_writes=1,nth=60,to=far", config="backup"),
               Case("bit_corruption:file=restored_*,op=write,nth=20", config="backup"),
               Case("bit_corruption:file=*.trn,op=write", config="backup"), Case("lost_write:file=*.trn", config="backup"),
               Case("bit_corruption:file=log.ldx,op=write", config="backup"), Case("bit_corruption:file=log.ldx,reads=2", config="backup"),
               Case("io_error:op=sync,file=*.bak,nth=2", config="backup", write_through=False),
               more("zeroed_page:file=log.ldx,op=write", config="backup"), more("stale_block:file=*.trn,op=write", config="backup"),
               more("torn_page:file=*.bak,op=write,min_writes=1,nth=60", config="backup"),
               more("io_error:file=*.bak,min_writes=1,nth=60,reads=0", config="backup")],
    "tempdb": [Case("lost_write:file=tempdb*,nth=40,count=2", config="tempdb", least=2),
               Case("stale_read:file=tempdb*,nth=40,count=2", config="tempdb", least=2),
               Case("bit_corruption:file=tempdb*,op=write,min_writes=1,nth=40,count=2", config="tempdb", least=2),
               Case("io_error:file=tempdb*,op=write,min_writes=1,nth=40", config="tempdb"),
               more("misdirected_write:file=tempdb*,to=far,nth=40", config="tempdb"),
               more("torn_page:file=tempdb*,op=write,nth=40,count=2", config="tempdb")],
    "columnstore": [Case("bit_corruption:min_writes=1,nth=400,count=3", config="columnstore", least=3),
                    Case("misdirected_read:min_writes=1,to=far,nth=400,count=3,middle=1", config="columnstore", least=3),
                    Case("io_error:min_writes=1,nth=900", config="columnstore"),
                    Case("lost_write:nth=60,count=2", config="columnstore"),
                    more("short_transfer:min_writes=1,nth=900", config="columnstore"),
                    more("stale_read:nth=100,count=2", config="columnstore", least=2)],
    "stalled_io": [Case("stalled_io:nth=700,seconds=17,min_writes=1", slow=True),
                   Case("stalled_io:op=write,nth=12,seconds=17,min_writes=0", slow=True)],
    "stalled_forever": [Case("stalled_io:nth=700,seconds=1000,min_writes=1", slow=True, gives_up_after_s=150),
                        Case("stalled_io:op=write,nth=3,seconds=1000,min_writes=0", slow=True, gives_up_after_s=150)],
}
