import { type AccessRule, type CollectionConfig, defineCollection, f, isAuthenticated } from 'daybook'

/** The key of the collection; the program in the browser looks for it in the model. */
const SHARED_VIEWS = 'studioViews'

const own: AccessRule = ({ identity }) => identity !== null && { createdBy: { eq: identity.subject } }

const views: CollectionConfig = defineCollection({
  description: 'Views of lists in the Studio that people share.',
  fields: {
    name: f.text({ required: true, maxLength: 100, search: false }),
    collection: f.text({ required: true, maxLength: 128, search: false }),
    search: f.json({ required: true }),
  },
  access: { read: isAuthenticated, create: isAuthenticated, update: own, delete: own },
})

/** What `sharedViews: true` adds to the config. */
export const sharedViews: Readonly<Record<string, CollectionConfig>> = { [SHARED_VIEWS]: views }
