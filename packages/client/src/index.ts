export { Greenroom, ifMatch, type GreenroomOptions, type Schema } from './greenroom.ts';
export { GreenroomError } from './greenroom-error.ts';
export type { BatchItem, Introspected, IntrospectOptions, Refusal } from './introspection.ts';
export { expressKey, fastifyKey, honoKey } from './middlewares.ts';
export type { RetryOptions } from './retries.ts';
export { verifyWebhook, WebhookError } from './webhooks.ts';
