import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * The cores of a process. A measured server shares no core with the load generator or the database; servers that are
 * compared take turns on one core.
 */
export type Place = 'server' | 'load' | 'database' | 'anywhere'

const last = availableParallelism() - 1
const load = Math.min(1, last)

/** Core lists of `taskset`. With two cores, the database shares the core of the load generator. */
const CORES: Readonly<Record<Place, string>> = {
  server: '0',
  load: `${load}`,
  database: last > 1 ? `2-${last}` : `${load}`,
  anywhere: `0-${last}`,
}

const canUse = (cores: string): boolean => spawnSync('taskset', ['-c', cores, 'true']).status === 0

/** True if this system can keep a process on one core. */
export const CAN_PIN: boolean = Object.values(CORES).every(canUse)

/** Builds a command that stays on its cores, if the system can do that. */
export function pinCommand(place: Place, command: readonly string[]): readonly string[] {
  return CAN_PIN ? ['taskset', '-c', CORES[place], ...command] : command
}

/** Moves running processes; the processes that they start later follow. */
export function moveProcesses(pids: readonly number[], place: Place): void {
  for (const pid of CAN_PIN ? pids : []) spawnSync('taskset', ['-a', '-c', '-p', CORES[place], `${pid}`])
}
