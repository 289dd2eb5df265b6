import type { SeedContent } from 'daybook'

export async function seed(content: SeedContent): Promise<void> {
  await content.writeGlobal('masthead', {
    name: 'The Quarterly',
    motto: 'Slow news about tools and trades.',
    siteUrl: 'https://magazine.example.org',
  })
  await content.writeGlobal('masthead', { motto: 'Langsame Nachrichten über Werkzeug und Handwerk.' }, { locale: 'de' })

  const workshop = await content.create('sections', { name: 'Workshop', order: 1 })
  await content.update('sections', workshop.id, { name: 'Werkstatt' }, { locale: 'de' })
  const people = await content.create('sections', { name: 'People', order: 2 })
  await content.update('sections', people.id, { name: 'Menschen' }, { locale: 'de' })

  const noor = await content.create('contributors', {
    name: 'Noor Haddad',
    about: 'Repairs clocks, and writes about them.',
  })
  const jonas = await content.create('contributors', { name: 'Jonas Weil', about: 'Listens, then asks.' })

  const evening = await content.create('events', {
    title: 'An evening with clockmakers',
    startsAt: '2026-12-04T18:00:00Z',
    endsAt: '2026-12-04T21:00:00Z',
    place: 'The old post office',
    about: 'Bring what no longer ticks.',
    price: 8,
  })

  const clocks = await content.create('articles', {
    title: 'Why tower clocks gain in winter',
    intro: 'Cold shortens a pendulum, and a town gets up earlier.',
    section: workshop.id,
    authors: [noor.id],
    topics: ['clocks', 'physics'],
    status: 'published',
    publishedOn: '2026-11-02',
    parts: [
      {
        _type: 'text',
        body: 'A pendulum of steel is *shorter* by a hair when it freezes. A shorter pendulum swings faster.',
      },
      { _type: 'quote', words: 'In January I am always early.', by: 'The keeper of the clock' },
      { _type: 'text', body: 'Two metals that pull against each other cure it. So does a visit every fortnight.' },
    ],
  })
  await content.update(
    'articles',
    clocks.id,
    { title: 'Warum Turmuhren im Winter vorgehen', intro: 'Kälte kürzt das Pendel, und die Stadt steht früher auf.' },
    { locale: 'de' },
  )
  await content.create('articles', {
    title: 'Seven questions to a bookbinder',
    intro: 'On glue, patience, and the books that people bring.',
    section: people.id,
    authors: [jonas.id, noor.id],
    topics: ['books', 'trades'],
    related: [
      { collection: 'articles', id: clocks.id },
      { collection: 'events', id: evening.id },
    ],
    status: 'published',
    publishedOn: '2026-11-16',
    parts: [
      {
        _type: 'question',
        asks: 'What do people bring most?',
        answer: 'Cookbooks. They are used near water, and loved.',
      },
      { _type: 'question', asks: 'What do you refuse?', answer: 'Nothing with handwriting in it.' },
    ],
  })
  await content.create('articles', {
    title: 'The last typewriter mechanic',
    section: people.id,
    authors: [jonas.id],
    topics: ['trades'],
    status: 'draft',
    parts: [{ _type: 'text', body: 'Notes from three visits.' }],
  })
}
