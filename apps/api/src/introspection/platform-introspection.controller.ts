import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireServiceCredential } from '../http/route-access';
import { HoldsService } from './holds.service';
import {
  CaptureBody,
  IntrospectBody,
  ReleaseBody,
  toHoldId,
  toHoldResponse,
  toIntrospectionResponse,
  toQuery,
  type ActiveResponse,
  type HoldResponse,
  type InactiveResponse,
} from './introspection.dto';
import { IntrospectionService } from './introspection.service';

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
}
