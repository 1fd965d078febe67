import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { PublicOwnKeyController } from './public-own-key.controller';
import { PublicUserController } from './public-user.controller';
import { UserService } from './user.service';

/** The account of a key, for customers. */
@Module({
  imports: [CreditsModule, DatabaseModule],
  controllers: [PublicUserController, PublicOwnKeyController],
  providers: [UserService],
})
export class UserModule {}
