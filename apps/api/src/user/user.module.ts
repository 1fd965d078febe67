import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { PublicUserController } from './public-user.controller';
import { UserService } from './user.service';

/** The account of a key, for customers. */
@Module({
  imports: [DatabaseModule],
  controllers: [PublicUserController],
  providers: [UserService],
})
export class UserModule {}
