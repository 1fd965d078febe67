/** Whether a URL is one of the public API, which pages of other origins may call. */
export const isPublicPath = (url: string): boolean => url.startsWith('/v1/') || url.startsWith('/v2/');
