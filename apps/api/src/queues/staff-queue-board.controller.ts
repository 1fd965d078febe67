import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pages } from '../http/produces';
import { RequireStaff } from '../http/staff-access';
import type { PageResponse } from '../http/static-files';
import { QueueBoardService } from './queue-board.service';

@Controller('admin/queues/board')
@Pages()
export class StaffQueueBoardController {
  constructor(private readonly board: QueueBoardService) {}

  @Get()
  @RequireStaff('queues.board')
  async start(@Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.board.page());
  }

  @Get('*')
  @RequireStaff('queues.board')
  async page(@Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.board.page());
  }

  @Get('static/*')
  @RequireStaff('queues.board')
  async file(
    @Param('*') path: string,
    @Headers('accept-encoding') encodings: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await send(reply, this.board.file(path, encodings));
  }

  @Get('api/*')
  @RequireStaff('queues.board')
  async ask(
    @Param('*') path: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { status, body } = await this.board.ask(`api/${path}`, request.query as Record<string, unknown>);
    await reply.status(status).send(body);
  }
}

async function send(reply: FastifyReply, { headers, body }: PageResponse): Promise<void> {
  await reply.headers(headers).send(body);
}
