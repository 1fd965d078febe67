import { SetMetadata } from '@nestjs/common';

export const MEDIA_TYPE = 'greenroom:media-type';

/** The media type of a route's response, for the API's description, where it is not JSON. */
export const Produces = (mediaType: string): MethodDecorator => SetMetadata(MEDIA_TYPE, mediaType);

export const PAGES = 'greenroom:pages';

/** A controller that serves pages for people: it is not part of the API, so its description leaves it out. */
export const Pages = (): ClassDecorator => SetMetadata(PAGES, true);
