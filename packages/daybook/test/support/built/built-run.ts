import { prepareDaybook } from '../../../../../scripts/packages/build-daybook.ts'

/** The command line of the tests is the one that is published: it is built from the present sources. */
export async function setup(): Promise<void> {
  await prepareDaybook()
}
