import { prepareDaybook } from '../../../../../scripts/packages/build-daybook.ts'

/** Builds the command line of the tests, like the published one, from the current sources. */
export async function setup(): Promise<void> {
  await prepareDaybook()
}
