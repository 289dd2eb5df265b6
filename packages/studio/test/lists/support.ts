import type { Page } from 'playwright-core'

export const titlesShown = (page: Page): Promise<readonly string[]> =>
  page.locator('[role=rowgroup] [data-index] a[data-entry]').allTextContents()

/** Returns the texts of the cells of a column, from the top. @param column from 0, the checkboxes; 1 is the title */
export const cellsShown = (page: Page, column: number): Promise<readonly string[]> =>
  page.locator(`[role=row][data-index] > [role=cell]:nth-child(${column + 1})`).allTextContents()

export const firstRow = (page: Page, title: string): Promise<void> =>
  page.locator('[role=row][data-index="0"]').getByText(title, { exact: true }).first().waitFor()
