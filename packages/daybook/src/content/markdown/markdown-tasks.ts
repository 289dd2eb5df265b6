import type { StateCore, Token } from 'markdown-it'

const BOX = /^\[([ xX])\](?=\s)/

/** Makes `[ ]` and `[x]` at the start of a list's item a checkbox (GitHub Flavored Markdown, task list items). */
export function markTasks({ tokens, Token: NewToken }: StateCore): void {
  const lists: Token[] = []
  tokens.forEach((token, index) => {
    if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token)
    if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop()
    const item = tokens[index - 2]
    const text = token.type === 'inline' ? token.children?.[0] : undefined
    const box = text?.type === 'text' ? BOX.exec(text.content) : null
    if (item?.type !== 'list_item_open' || !text || !box) return
    text.content = text.content.slice(box[0].length)
    token.children?.unshift(checkbox(new NewToken('checkbox', 'input', 0), box[1] !== ' '))
    item.attrSet('class', 'task-list-item')
    lists.at(-1)?.attrSet('class', 'contains-task-list')
  })
}

function checkbox(token: Token, isChecked: boolean): Token {
  token.attrs = [['type', 'checkbox'], ...(isChecked ? [['checked', ''] as [string, string]] : []), ['disabled', '']]
  return token
}
