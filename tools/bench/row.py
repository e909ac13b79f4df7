"""A row of the table (what is compared, the rounds, their medians), and the table."""

import statistics

from peers import MB


class Row:
    """`figure`: what is compared; the ratio is inverted if less is better. `cpus`: how many both sides may use."""

    def __init__(self, name, text, figure, goal, ours, peer, peer_name, cpus="all"):
        self.name, self.text, self.figure, self.goal, self.cpus = name, text, figure, goal, cpus
        self.ours, self.peer, self.peer_name = ours, peer, peer_name
        self.rounds = []
        self.error = None

    def less_is_better(self):
        return self.figure in ("cpu_ns", "latency_us", "seconds", "bytes_outside", "added_ns")

    def measure(self):
        ours = self.ours()
        peer = self.peer()
        first, second = ours[self.figure], peer[self.figure]
        ratio = second / first if self.less_is_better() else first / second
        entry = {"ours": ours, "peer": peer, "ratio": ratio}
        if "cpu_ns" in ours and "cpu_ns" in peer:
            # For the same amount of data, because log blocks differ in size.
            per_byte = [side["cpu_ns"] * side["requests_per_s"] / side["bytes_per_s"] for side in (ours, peer)]
            entry["cpu_ratio"] = per_byte[1] / per_byte[0]
        self.rounds.append(entry)

    def result(self):
        result = {"row": self.name, "text": self.text, "figure": self.figure, "goal": self.goal, "cpus": self.cpus, "peer_name": self.peer_name,
                  "rounds": self.rounds}
        if self.error:
            result["error"] = self.error
        if self.rounds:
            result["ours"] = statistics.median(r["ours"][self.figure] for r in self.rounds)
            result["peer"] = statistics.median(r["peer"][self.figure] for r in self.rounds)
            ratios = [r["ratio"] for r in self.rounds]
            result["ratio"], result["ratio_min"], result["ratio_max"] = statistics.median(ratios), min(ratios), max(ratios)
            result["reached"] = result["ratio"] >= self.goal
            if "cpu_ratio" in self.rounds[0]:
                result["cpu_ratio"] = statistics.median(r["cpu_ratio"] for r in self.rounds)
        return result


def shown(figure, value):
    if figure in ("requests_per_s", "pages_per_s"):
        return f"{value / 1000:.1f} k/s" if value >= 1e4 else f"{value:.0f} /s"
    if figure == "bytes_per_s":
        return f"{value / MB:.0f} MB/s"
    if figure in ("cpu_ns", "added_ns"):
        return f"{value / 1000:.2f} us"
    if figure == "latency_us":
        return f"{value:.1f} us"
    if figure == "bytes_outside":
        return f"{value / MB:.0f} MB"
    return f"{value:.2f} s"


def table(results):
    lines = [("", "CPUs", "ioproof", "peer", "ratio", "rounds", "goal", "", "CPU", "peer is")]
    for result in results:
        # The rounds before a failure are in the JSON: as a row, they would hide it.
        if "error" in result or "ratio" not in result:
            lines.append((result["text"], result["cpus"], "-", "-", "-", "-", f"{result['goal']:.2f}", "not measured", "-",
                          result.get("error", "")[:60]))
            continue
        lines.append((result["text"], result["cpus"], shown(result["figure"], result["ours"]), shown(result["figure"], result["peer"]),
                      f"{result['ratio']:.2f}", f"{result['ratio_min']:.2f}-{result['ratio_max']:.2f}", f"{result['goal']:.2f}", "reached" if result["reached"] else "MISSED",
                      f"{result['cpu_ratio']:.2f}" if "cpu_ratio" in result else "-", result["peer_name"]))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i in (0, 7, 9) else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)
