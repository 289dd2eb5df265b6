import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The arguments with which a package manager installs a project; it prefers packages on this machine. */
const INSTALL: Readonly<Record<string, readonly string[]>> = {
  // Without the last argument, npm downloads the manifest of every optional peer: 130 MB, of which it installs nothing.
  npm: ['install', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'],
  pnpm: ['install', '--prefer-offline'],
  bun: ['install'],
}

/**
 * Returns the command of the package manager that runs this program: `npm`, `pnpm`, `bun`; `npm` for any other.
 *
 * @param agent the user agent, such as `pnpm/10.1.0 node/v24.0.0 linux x64`
 */
export function callingPackageManager(agent: string | undefined): string {
  const name = agent?.split('/')[0] ?? ''
  return Object.hasOwn(INSTALL, name) ? name : 'npm'
}

/** Installs a project's packages with the package manager's output. Returns true on success. */
export async function installPackages(manager: string, folder: string): Promise<boolean> {
  const child = spawn(manager, INSTALL[manager] ?? [], {
    cwd: folder,
    stdio: 'inherit',
    // On Windows, package managers are scripts.
    shell: process.platform === 'win32',
  })
  const [status] = await once(child, 'close').catch(() => [1])
  return status === 0
}
