import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { newRequestId } from '../http/request-id';
import { RequireServiceCredential } from '../http/route-access';
import { IGNORING_UNKNOWN_FIELDS } from '../http/validation.pipe';
import { HoldsService } from './holds.service';
import {
  CaptureBody,
  IntrospectBody,
  readItems,
  ReleaseBody,
  toHoldId,
  toHoldResponse,
  toIntrospectionResponse,
  toQuery,
  toRefusedEntry,
  type ActiveResponse,
  type HoldResponse,
  type InactiveResponse,
  type IntrospectionEntry,
} from './introspection.dto';
import { IntrospectionService } from './introspection.service';

const ITEM = { type: 'body', metatype: IntrospectBody } as const;

/** For the platform's other services (RFC 7662): whether a request with a key may be served, and its credits. */
@Controller('introspect')
export class PlatformIntrospectionController {
  constructor(
    private readonly introspection: IntrospectionService,
    private readonly holds: HoldsService,
  ) {}

  @Post() // Check whether a request may pass, and charge for it
  @HttpCode(200)
  @RequireServiceCredential()
  async introspect(
    @Req() { id, service }: FastifyRequest,
    @Body() body: IntrospectBody,
  ): Promise<ActiveResponse | InactiveResponse> {
    return toIntrospectionResponse(await this.introspection.introspect(toQuery(body, id), service!.name));
  }

  /** Each item is decided as if it had been sent alone; the entries are in the order of the items. Charges of a key are settled in that order, holds separately. */
  @Post('batch') // Check up to 500 requests, and charge for them
  @HttpCode(200)
  @RequireServiceCredential()
  async introspectAll(
    @Req() { service }: FastifyRequest,
    @Body() items: IntrospectBody[],
  ): Promise<IntrospectionEntry[]> {
    return Promise.all(readItems(items).map((item) => this.introspectItem(item, service!.name)));
  }

  @Post('capture') // Capture credits that are held
  @HttpCode(200)
  @RequireServiceCredential()
  async capture(@Body() body: CaptureBody): Promise<HoldResponse> {
    return toHoldResponse(body, await this.holds.capture(toHoldId(body), body.cost));
  }

  @Post('release') // Release credits that are held
  @HttpCode(200)
  @RequireServiceCredential()
  async release(@Body() body: ReleaseBody): Promise<HoldResponse> {
    return toHoldResponse(body, await this.holds.release(toHoldId(body)));
  }

  private async introspectItem(item: unknown, service: string): Promise<IntrospectionEntry> {
    const requestId = newRequestId();
    try {
      const body = IGNORING_UNKNOWN_FIELDS.transform(item, ITEM) as IntrospectBody;
      const found = await this.introspection.introspect(toQuery(body, requestId), service, true);
      return { status: 200, body: toIntrospectionResponse(found) };
    } catch (error) {
      return toRefusedEntry(error, requestId);
    }
  }
}
