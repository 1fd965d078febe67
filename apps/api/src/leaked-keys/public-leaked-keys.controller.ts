import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SignedRoute } from '../http/route-access';
import type { LeakReport, LeakVerdict } from './leak-report';
import { LeakedKeysService } from './leaked-keys.service';

/** Reports of secret scanners, in the form of GitHub's partner programme. */
@Controller('secret-scanning')
export class PublicLeakedKeysController {
  constructor(private readonly leakedKeys: LeakedKeysService) {}

  /** Takes findings that the scanner has signed: keys of ours among them are disabled. */
  @Post('github') // Report leaked keys (GitHub secret scanning)
  @HttpCode(200)
  @SignedRoute()
  async report(
    @Req() { headers, bodyBytes: bytes }: FastifyRequest,
    @Body() body: LeakReport[],
  ): Promise<LeakVerdict[]> {
    const keyId = headers['github-public-key-identifier']?.toString();
    const signature = headers['github-public-key-signature']?.toString();
    return this.leakedKeys.receive({ bytes, keyId, signature }, body);
  }
}
