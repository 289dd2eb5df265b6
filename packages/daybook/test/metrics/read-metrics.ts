/** Parses Prometheus text: values by name and labels, as written there. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

/** Sums all samples of a name, whatever their labels. */
export function sumOf(metrics: ReadonlyMap<string, number>, name: string): number {
  return [...metrics].reduce((sum, [sample, value]) => (sample.split('{')[0] === name ? sum + value : sum), 0)
}
