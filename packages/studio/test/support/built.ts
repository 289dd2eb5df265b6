import { prepareStudio } from '../../../../scripts/packages/build-studio.ts'

/** Services with the Studio need its built files: tests run with those of the present sources. */
export async function setup(): Promise<void> {
  await prepareStudio()
}
