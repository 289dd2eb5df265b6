import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** How each package manager installs what a manifest names; packages that are on this machine are not asked for. */
const INSTALL: Readonly<Record<string, readonly string[]>> = {
  // Without the last one npm asks about each optional peer of each package: 130 MB of answers, of which it installs nothing.
  npm: ['install', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'],
  pnpm: ['install', '--prefer-offline'],
  bun: ['install'],
}

/**
 * The package manager that runs this program.
 *
 * @param agent what it says of itself, such as `pnpm/10.1.0 node/v24.0.0 linux x64`
 * @returns its command; `npm` for others than npm, pnpm and bun
 */
export function callingPackageManager(agent: string | undefined): string {
  const name = agent?.split('/')[0] ?? ''
  return Object.hasOwn(INSTALL, name) ? name : 'npm'
}

/** Installs a project's packages, and shows what the package manager says. Answers whether that went well. */
export async function installPackages(manager: string, folder: string): Promise<boolean> {
  const child = spawn(manager, INSTALL[manager] ?? [], {
    cwd: folder,
    stdio: 'inherit',
    // On Windows package managers are scripts.
    shell: process.platform === 'win32',
  })
  const [status] = await once(child, 'close').catch(() => [1])
  return status === 0
}
