/** How large V8 lets the room for new objects grow, in MiB; it would otherwise fill 64 with garbage. */
const FLAG = '--max-semi-space-size'
const SIZE_MB = 2

/**
 * Begins the process again, under its own id, with a heap that stays small: V8 takes this setting at start only.
 * Does nothing where one is set already, or where a process cannot be begun again (Windows).
 */
export function restartWithSmallHeap(): void {
  const { execArgv, execve, execPath, argv, env, platform } = process
  const isSet = [...execArgv, env.NODE_OPTIONS ?? ''].some((option) => option.includes(FLAG))
  if (isSet || execve === undefined || platform === 'win32') return
  execve(execPath, [execPath, `${FLAG}=${SIZE_MB}`, ...execArgv, ...argv.slice(1)], env)
}
