import type { Page } from 'playwright-core'

/** The titles of the rows that are drawn, from the top. */
export const titlesShown = (page: Page): Promise<readonly string[]> =>
  page.locator('[role=rowgroup] [data-index] a[data-entry]').allTextContents()

/** The texts of the cells of a column, from the top. @param column from 0: the boxes, the titles, and so on */
export const cellsShown = (page: Page, column: number): Promise<readonly string[]> =>
  page.locator(`[role=row][data-index] > [role=cell]:nth-child(${column + 1})`).allTextContents()

/** Waits until the first row has a title. */
export const firstRow = (page: Page, title: string): Promise<void> =>
  page.locator('[role=row][data-index="0"]').getByText(title, { exact: true }).first().waitFor()
