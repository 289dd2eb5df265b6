/** The exit status of a command that Ctrl-C ended. */
const INTERRUPTED = 130

/**
 * Runs `work` until it ends, or until Ctrl-C or SIGTERM asks it to: then its signal is aborted, and it ends after what it is
 * storing. A second one ends the process at once.
 *
 * @returns what `work` answers, or the exit status of an interrupted command
 */
export async function untilSignal(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController()
  const end = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED)
    controller.abort()
  }
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    return await work(controller.signal)
  } catch (error) {
    if (!controller.signal.aborted) throw error
    process.stdout.write('Stopped. What is stored stays. Run it again: it goes on.\n')
    return INTERRUPTED
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
