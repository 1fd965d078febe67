import { Controller, Get } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { PublicRoute } from '../http/route-access';
import { OPENAPI_FILE } from './openapi-file';

@Controller('openapi.json')
export class PublicOpenapiController {
  private readonly document = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as Record<string, unknown>;

  /** This document. */
  @Get()
  @PublicRoute()
  get(): Record<string, unknown> {
    return this.document;
  }
}
