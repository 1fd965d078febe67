import { Controller, Get, Headers, Param, Redirect, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Pages } from '../http/produces';
import { PublicRoute } from '../http/route-access';
import { ConsoleService } from './console.service';

@Controller()
@Pages()
export class PublicConsoleController {
  constructor(private readonly console: ConsoleService) {}

  @Get()
  @Redirect('/console/', 302)
  @PublicRoute()
  home(): void {}

  @Get('console')
  @PublicRoute()
  async start(@Res() reply: FastifyReply): Promise<void> {
    await this.send(reply, '');
  }

  @Get('console/*')
  @PublicRoute()
  async file(
    @Param('*') path: string,
    @Headers('accept-encoding') encodings: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.send(reply, path, encodings);
  }

  private async send(reply: FastifyReply, path: string, encodings?: string): Promise<void> {
    const { headers, body } = this.console.pageResponse(path, encodings);
    await reply.headers(headers).send(body);
  }
}
