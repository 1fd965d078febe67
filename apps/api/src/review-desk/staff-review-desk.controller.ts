import { IfMatch } from '../http/etag';
import type { ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import type { Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { DeskDecisions } from '@app/administration/reviews/desk-decisions.service';
import { ReviewDeskService } from '@app/administration/reviews/review-desk.service';
import { ReviewDeskListService } from './review-desk-list.service';
import {
  AssignBody,
  DecideBody,
  DecideManyBody,
  DeskQuery,
  SendToDeskBody,
  SnoozeBody,
  TakeBody,
  TakeNextBody,
  toDeskFilter,
  toDeskItemResponse,
  VisitDeskBody,
  type DecidedTogetherResponse,
  type DeskItemResponse,
  type DeskPeopleResponse,
  type DeskSummaryResponse,
  type DeskVisitorsResponse,
} from './staff-review-desk.dto';

@Controller('admin/review-desk')
export class StaffReviewDeskController {
  constructor(
    private readonly desk: ReviewDeskService,
    private readonly voices: ReviewDeskListService,
    private readonly decisions: DeskDecisions,
  ) {}

  @Get() // List the voices on the review desk
  @RequireStaff('voices.review')
  async list(@CurrentStaff() staff: Staff, @Query() query: DeskQuery): Promise<Page<DeskItemResponse>> {
    const page = await this.voices.list(toDeskFilter(query, staff), query);
    return { ...page, items: page.items.map(toDeskItemResponse) };
  }

  /** A complaint: a person should listen, regardless of what the rules said. */
  @Post() // Send a voice to the review desk
  @RequireStaff('voices.review')
  async send(
    @CurrentStaff() staff: Staff,
    @Body() { voice_id: voiceId, reason }: SendToDeskBody,
  ): Promise<DeskItemResponse> {
    return toDeskItemResponse(await this.desk.send(staff, voiceId, reason));
  }

  @Get('summary') // Get how many voices wait for the caller at the review desk, and why
  @RequireStaff('voices.review')
  async summarise(@CurrentStaff() staff: Staff): Promise<DeskSummaryResponse> {
    return this.desk.summarise(staff);
  }

  @Get('people') // List who can decide at the review desk
  @RequireStaff('voices.review')
  async listPeople(): Promise<DeskPeopleResponse> {
    return { items: await this.desk.listPeople() };
  }

  @Post('visit') // Say which voice one looks at, and get who else is at the review desk
  @HttpCode(200)
  @RequireStaff('voices.review')
  async visit(@CurrentStaff() staff: Staff, @Body() body: VisitDeskBody): Promise<DeskVisitorsResponse> {
    const visitors = await this.desk.visit(staff, body.item_id ?? null);
    return { items: visitors.map(({ id, name, itemId }) => ({ id, name, item_id: itemId })) };
  }

  /** What the caller holds already comes first, then what is assigned to them, then the most pressing one. */
  @Post('take-next') // Take the next voice of the review desk
  @HttpCode(200)
  @RequireStaff('voices.review')
  async takeNext(
    @CurrentStaff() staff: Staff,
    @Body() { reason, account_id: accountId }: TakeNextBody,
  ): Promise<{ item: DeskItemResponse | null }> {
    const item = await this.desk.takeNext(staff, { reason, accountId });
    return { item: item && toDeskItemResponse(item) };
  }

  /** All of them or none. What someone else has, an appeal and a second listening have to be decided one at a time. */
  @Post('decide-many') // Decide on many voices of the review desk
  @HttpCode(200)
  @RequireStaff('voices.review')
  async decideMany(
    @CurrentStaff() staff: Staff,
    @Body() { item_ids: itemIds, grade, public_reason: publicReason, reason }: DecideManyBody,
  ): Promise<DecidedTogetherResponse> {
    await this.decisions.decideMany(staff, { itemIds, grade, publicReason, reason });
    return { item_ids: itemIds };
  }

  /** Undoes what the caller decided last, one item or many at once, within ten minutes. */
  @Post('undo') // Undo the last decision at the review desk
  @HttpCode(200)
  @RequireStaff('voices.review')
  async undo(@CurrentStaff() staff: Staff): Promise<DecidedTogetherResponse> {
    return { item_ids: await this.decisions.undo(staff) };
  }

  @Get(':item_id') // Get a voice on the review desk
  @RequireStaff('voices.review')
  async get(@Param('item_id') itemId: string): Promise<DeskItemResponse> {
    return toDeskItemResponse(await this.desk.get(itemId));
  }

  /** The person who has it already keeps it for another five minutes. */
  @Post(':item_id/take') // Take a voice of the review desk, or take it over
  @HttpCode(200)
  @RequireStaff('voices.review')
  async take(
    @CurrentStaff() staff: Staff,
    @Param('item_id') itemId: string,
    @Body() { take_over: takeOver }: TakeBody,
  ): Promise<DeskItemResponse> {
    return toDeskItemResponse(await this.desk.take(staff, itemId, { takeOver }));
  }

  @Post(':item_id/release') // Give a voice back to the review desk
  @HttpCode(200)
  @RequireStaff('voices.review')
  async release(@CurrentStaff() staff: Staff, @Param('item_id') itemId: string): Promise<DeskItemResponse> {
    return toDeskItemResponse(await this.desk.release(staff, itemId));
  }

  @Post(':item_id/snooze') // Hide a voice at the review desk for a while
  @HttpCode(200)
  @RequireStaff('voices.review')
  async snooze(
    @CurrentStaff() staff: Staff,
    @Param('item_id') itemId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() body: SnoozeBody,
  ): Promise<DeskItemResponse> {
    return toDeskItemResponse(await this.desk.snooze(staff, itemId, { ...body, expected }));
  }

  @Put(':item_id/assignee') // Assign a voice of the review desk to a member of staff
  @RequireStaff('voices.review')
  async assign(
    @CurrentStaff() staff: Staff,
    @Param('item_id') itemId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { staff_id: staffId }: AssignBody,
  ): Promise<DeskItemResponse> {
    return toDeskItemResponse(await this.desk.assign(staff, itemId, staffId, expected));
  }

  @Post(':item_id/decide') // Decide on a voice of the review desk
  @HttpCode(200)
  @RequireStaff('voices.review')
  async decide(
    @CurrentStaff() staff: Staff,
    @Param('item_id') itemId: string,
    @Body() { public_reason: publicReason, ...decided }: DecideBody,
  ): Promise<DeskItemResponse> {
    const item = await this.desk.get(itemId);
    await this.decisions.decide(staff, item, { ...decided, publicReason });
    return toDeskItemResponse(await this.desk.get(itemId));
  }
}
