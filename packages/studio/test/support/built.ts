import { prepareStudio } from '../../../../scripts/packages/build-studio.ts'

/** Builds the Studio before the tests run, since services with the Studio need its built files. */
export async function setup(): Promise<void> {
  await prepareStudio()
}
