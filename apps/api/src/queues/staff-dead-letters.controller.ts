import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { byStaff } from '@app/administration/audit/audit-actors';
import { Action, type ActionByStaff } from '../http/change';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { BulkReviewsService } from '@app/administration/reviews/bulk-reviews.service';
import { ReviewsService } from '@app/administration/reviews/reviews.service';
import { ConfirmedBody } from '../reviews/staff-review.dto';
import { DeadLettersService } from './dead-letters.service';
import {
  DeadLetterFilterQuery,
  DeadLetterQuery,
  toDeadLetterFilter,
  toDeadLettersResponse,
  type DeadLettersResponse,
  type RetryProgressResponse,
} from './staff-queue.dto';

@Controller('admin/dead-letters')
export class StaffDeadLettersController {
  constructor(
    private readonly letters: DeadLettersService,
    private readonly reviews: ReviewsService,
    private readonly bulk: BulkReviewsService,
  ) {}

  @Get() // List dead letters
  @RequireStaff('queues.read')
  async list(@Query() query: DeadLetterQuery): Promise<DeadLettersResponse> {
    return toDeadLettersResponse(await this.letters.list(query, toDeadLetterFilter(query)));
  }

  /** How many the same request as a POST would try again, and what has to be typed to confirm it. */
  @Get('retry') // Preview a bulk retry: how many dead letters it would meet
  @RequireStaff('queues.retry')
  async previewMany(@Query() query: DeadLetterFilterQuery): Promise<{ count: number; confirm: string }> {
    return this.preview(query);
  }

  @Post('retry') // Retry many dead letters
  @HttpCode(202)
  @RequireStaff('queues.retry', { confirmed: true })
  async retryMany(
    @Query() query: DeadLetterFilterQuery,
    @Action() { actor, reason }: ActionByStaff,
    @Body() { confirm }: ConfirmedBody,
  ): Promise<{ id: string; retried: number }> {
    const change = { force: false, reason, confirm };
    const filter = toDeadLetterFilter(query);
    const { id, count } = await this.bulk.start(actor, filter, change, 'dead_letters.retried');
    return { id, retried: count };
  }

  /** How far the reviews are that one such request has retried. */
  @Get('retry/:retry_id/progress') // Get how far a bulk retry is
  @RequireStaff('queues.read')
  async retryProgress(@Param('retry_id') id: string): Promise<RetryProgressResponse> {
    return this.letters.retryProgress(id);
  }

  /** How many the same request as a POST would remove, and what has to be typed to confirm it. */
  @Get('remove') // Preview a bulk removal: how many dead letters it would meet
  @RequireStaff('queues.retry')
  async previewRemoval(@Query() query: DeadLetterFilterQuery): Promise<{ count: number; confirm: string }> {
    return this.preview(query);
  }

  /** Cancels their reviews: each voice keeps the grade that it had, and may be reviewed again. */
  @Post('remove') // Remove many dead letters
  @HttpCode(200)
  @RequireStaff('queues.retry', { confirmed: true })
  async removeMany(
    @CurrentStaff() staff: Staff,
    @Query() query: DeadLetterFilterQuery,
    @Body() change: ConfirmedBody,
  ): Promise<{ removed: number }> {
    const { count } = await this.bulk.removeDeadLetters(byStaff(staff), toDeadLetterFilter(query), change);
    return { removed: count };
  }

  @Post(':voice_id/retry') // Retry a dead letter
  @HttpCode(202)
  @RequireStaff('queues.retry')
  async retry(
    @Param('voice_id') voiceId: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<{ voice_id: string; generation: number }> {
    return {
      voice_id: voiceId,
      generation: await this.reviews.retryDeadLetter(actor, voiceId, reason),
    };
  }
  private async preview(query: DeadLetterFilterQuery): Promise<{ count: number; confirm: string }> {
    const count = await this.bulk.count(toDeadLetterFilter(query), false);
    return { count, confirm: String(count) };
  }
}
