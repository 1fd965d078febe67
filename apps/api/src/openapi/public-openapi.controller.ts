import { Controller, Get, Header } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { constantResponse } from '../http/constant-responses';
import { PublicRoute } from '../http/route-access';
import { servedOpenapiFile } from '@app/config/openapi-file';

@Controller('openapi.json')
export class PublicOpenapiController {
  private readonly document = constantResponse(
    JSON.parse(readFileSync(servedOpenapiFile(), 'utf8')) as Record<string, unknown>,
  );

  /** This document. */
  @Get() // Get this description
  @Header('cache-control', 'public, max-age=300')
  @PublicRoute()
  get(): Readonly<Record<string, unknown>> {
    return this.document;
  }
}
