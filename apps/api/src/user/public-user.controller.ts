import { Controller, Get } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { RequireScope } from '../http/route-access';
import {
  toExtendedSubscription,
  toUser,
  type ExtendedSubscriptionResponse,
  type UserResponse,
} from './user.dto';
import { UserService } from './user.service';

@Controller('v1/user')
export class PublicUserController {
  constructor(private readonly users: UserService) {}

  @Get() // Get the user behind the key
  @RequireScope('user_read')
  async get(@CurrentCaller() caller: Caller): Promise<UserResponse> {
    const [subscriber, key] = await Promise.all([
      this.users.getSubscriber(caller),
      this.users.findKey(caller),
    ]);
    return toUser(subscriber, key);
  }

  @Get('subscription') // Get the subscription: tier, credits and limits
  @RequireScope('user_read')
  async getSubscription(@CurrentCaller() caller: Caller): Promise<ExtendedSubscriptionResponse> {
    return toExtendedSubscription(await this.users.getSubscriber(caller));
  }
}
