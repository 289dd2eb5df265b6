import { defineMigration } from 'daybook'

export default defineMigration({
  description: 'Writes topics in lower case, each once, so that Clocks and clocks are counted together',
  async run({ content, log }) {
    const changed = await content.each('articles', {}, ({ topics }) => {
      const tidy = [...new Set((topics as readonly string[]).map((topic) => topic.trim().toLowerCase()))]
      return tidy.join() === String(topics) ? undefined : { topics: tidy }
    })
    log(`${changed} articles have tidier topics now`)
  },
})
