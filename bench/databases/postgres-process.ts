import { readFile } from 'node:fs/promises'

/** Units of processor time in a second, as Linux tells them to programs (`USER_HZ`). */
const TICKS = 100

/** Where the times of a process stand in its `stat`, counted behind its name: own, and of its children that ended. */
const OWN = [11, 12]
const ENDED = [13, 14]

const procFile = (pid: number, name: string): Promise<string> =>
  readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')

/** The first process of a server and those that it started; only the first one where the system has no `/proc`. */
export async function processesOf(pid: number): Promise<readonly number[]> {
  const children = await procFile(pid, `task/${pid}/children`)
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** User and system time of a server's processes so far, in microseconds; 0 where the system has no `/proc`. */
export async function cpuOf(pid: number): Promise<number> {
  const [first = pid, ...others] = await processesOf(pid)
  const times = await Promise.all([ticks(first, [...OWN, ...ENDED]), ...others.map((child) => ticks(child, OWN))])
  return (times.reduce((sum, one) => sum + one, 0) / TICKS) * 1e6
}

async function ticks(pid: number, places: readonly number[]): Promise<number> {
  const stat = await procFile(pid, 'stat')
  // The name of a program may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0)
}
