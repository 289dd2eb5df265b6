import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * Where a process runs. What is measured never shares a core with what loads it or with the database; servers that
 * are compared take turns on one core.
 */
export type Place = 'server' | 'load' | 'database' | 'nodes' | 'proxy' | 'anywhere'

/** How many cores there are. */
export const CORE_COUNT: number = availableParallelism()

/** Whether three nodes, a proxy, the load and the database can have cores of their own. */
export const HAS_ROOM: boolean = CORE_COUNT >= 6

const last = CORE_COUNT - 1
const load = Math.min(1, last)
/** What servers and load leave; on two cores that is nothing, and the load's core is shared. */
const others = last > 1 ? `2-${last}` : `${load}`

/** As `taskset` has them. */
const CORES: Readonly<Record<Place, string>> = {
  server: '0',
  load: `${load}`,
  database: HAS_ROOM ? `5-${last}` : others,
  nodes: HAS_ROOM ? '0,2,3' : '0',
  proxy: HAS_ROOM ? '4' : others,
  anywhere: `0-${last}`,
}

const canUse = (cores: string): boolean => spawnSync('taskset', ['-c', cores, 'true']).status === 0

/** Whether this system can keep a process on one core. */
export const CAN_PIN: boolean = Object.values(CORES).every(canUse)

/** A command that stays in its place, where the system can do that. */
export function commandIn(place: Place, command: readonly string[]): readonly string[] {
  return CAN_PIN ? ['taskset', '-c', CORES[place], ...command] : command
}

/** Moves processes that run; those that they start from then on go with them. */
export function move(pids: readonly number[], place: Place): void {
  for (const pid of CAN_PIN ? pids : []) spawnSync('taskset', ['-a', '-c', '-p', CORES[place], `${pid}`])
}
