import { prepareStudio } from '../../../../scripts/build-studio.ts'

/** Services with the Studio need its built files; whoever tests has them of the present sources. */
export async function setup(): Promise<void> {
  await prepareStudio()
}
