export type { EntryPath } from '../entry-path.ts'
export {
  type CloudflareZone,
  type FastlyService,
  type Purge,
  type PurgeCdnOptions,
  purgeCdn,
  purgeCloudflare,
  purgeFastly,
} from './purge-cdn.ts'
export { type RedirectedCollection, type RedirectsOptions, redirects } from './redirects/redirects.ts'
export { type RobotsOptions, type RobotsRule, robots } from './robots.ts'
export { type ServeUploadsOptions, serveUploads } from './serve-uploads/serve-uploads.ts'
export { type SignedUpload, type SignUploadOptions, signUpload } from './serve-uploads/signed-url.ts'
export type { FeedFields, FeedOptions, SitemapCollection, SitemapOptions } from './sitemap/options.ts'
export { sitemap } from './sitemap/sitemap.ts'
export type { WebhookEndpoint, WebhookRetries, WebhooksOptions } from './webhooks/options.ts'
export { webhooks } from './webhooks/webhooks.ts'
