// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Vault} from "../src/Vault.sol";
import {VaultTest} from "./VaultTest.sol";

contract VaultHouseTest is VaultTest {
    function test_funds_in_both_tokens_belong_to_the_house() public {
        vm.expectEmit(address(vault));
        emit Vault.Funded(player, ETH, 1 ether);
        fundAs(player, ETH, 1 ether);
        vm.expectEmit(address(vault));
        emit Vault.Funded(player, address(usdg), 5e6);
        fundAs(player, address(usdg), 5e6);
        assertEq(vault.houseFunds(ETH), 1 ether);
        assertEq(vault.houseFunds(address(usdg)), 5e6);
        assertEq(vault.playerFunds(ETH), 0);
    }

    function test_funding_needs_a_known_token_and_an_amount() public {
        vm.startPrank(player);
        vm.expectRevert(abi.encodeWithSelector(Vault.UnknownToken.selector, address(1)));
        vault.fund(address(1), 5e6);
        vm.expectRevert(Vault.ZeroAmount.selector);
        vault.fund(ETH, 0);
    }

    function test_a_paused_vault_takes_funds_and_pays_the_houses_share_but_takes_no_deposit() public {
        fundAs(player, ETH, 1 ether);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 0);
        vm.prank(owner);
        vault.pause();
        vm.startPrank(player);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        vault.deposit{value: 1}(ETH, 1);
        vm.stopPrank();
        fundAs(player, ETH, 2 ether);
        fundAs(player, address(usdg), 5e6);
        assertEq(vault.houseFunds(ETH), 3 ether);
        assertEq(vault.houseFunds(address(usdg)), 5e6);
        vm.startPrank(owner);
        vm.expectRevert(Vault.ZeroAddress.selector);
        vault.withdrawHouse(ETH, 3 ether, address(0));
        vault.withdrawHouse(ETH, 3 ether, owner);
    }

    function test_the_owner_withdraws_at_most_what_the_house_funded_and_won() public {
        depositAs(player, ETH, 10 ether);
        fundAs(player, ETH, 5 ether);
        vm.expectEmit(address(vault));
        emit Vault.HouseResultRecorded(ETH, 2 ether);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 2 ether);
        assertEq(vault.houseFunds(ETH), 7 ether);
        // Deposits and withdrawals in between don't change the house's share.
        depositAs(player, ETH, 1 ether);
        withdrawAs(player, playerKey, ETH, 3 ether);
        assertEq(vault.houseFunds(ETH), 7 ether);
        vm.startPrank(owner);
        vm.expectRevert(abi.encodeWithSelector(Vault.AboveHouseFunds.selector, 7 ether));
        vault.withdrawHouse(ETH, 7 ether + 1, owner);
        vm.expectEmit(address(vault));
        emit Vault.HouseWithdrawn(owner, ETH, 7 ether);
        vault.withdrawHouse(ETH, 7 ether, owner);
        assertEq(owner.balance, 7 ether);
        assertEq(vault.houseFunds(ETH), 0);
        assertEq(vault.playerFunds(ETH), 6 ether);
    }

    function test_the_houses_share_goes_to_the_account_that_the_owner_names() public {
        address treasury = makeAddr("treasury");
        address[2] memory tokens = [ETH, address(usdg)];
        for (uint256 i = 0; i < tokens.length; i++) {
            fundAs(player, tokens[i], 5e6);
            vm.prank(relayer);
            vault.recordHouseResult(tokens[i], 0);
            vm.prank(owner);
            vault.withdrawHouse(tokens[i], 5e6, treasury);
            assertEq(balanceOf(treasury, tokens[i]), 5e6);
        }
    }

    function test_withdrawing_the_houses_share_needs_a_known_token_and_an_amount() public {
        vm.startPrank(relayer);
        vault.recordHouseResult(ETH, 0);
        vault.recordHouseResult(address(1), 0);
        vm.startPrank(owner);
        vm.expectRevert(abi.encodeWithSelector(Vault.UnknownToken.selector, address(1)));
        vault.withdrawHouse(address(1), 1, owner);
        vm.expectRevert(Vault.ZeroAmount.selector);
        vault.withdrawHouse(ETH, 0, owner);
    }

    function test_players_winnings_do_not_count_as_the_houses() public {
        depositAs(player, ETH, 10 ether);
        fundAs(player, ETH, 5 ether);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, -4 ether);
        assertEq(vault.houseFunds(ETH), 1 ether);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, -9 ether);
        assertEq(vault.houseFunds(ETH), 0);
        withdrawAs(player, playerKey, ETH, 15 ether);
    }

    function test_the_owner_needs_a_recent_result_from_the_relayer() public {
        fundAs(player, ETH, 5 ether);
        vm.startPrank(owner);
        vm.expectRevert(abi.encodeWithSelector(Vault.HouseResultTooOld.selector, 0));
        vault.withdrawHouse(ETH, 1 ether, owner);
        vm.stopPrank();
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 0);
        skip(1 hours);
        vm.prank(owner);
        vault.withdrawHouse(ETH, 1 ether, owner);
        skip(1);
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(Vault.HouseResultTooOld.selector, block.timestamp - 1 hours - 1));
        vault.withdrawHouse(ETH, 1 ether, owner);
    }

    function test_a_result_allows_withdrawals_of_its_own_token_only() public {
        fundAs(player, ETH, 5 ether);
        fundAs(player, address(usdg), 5e6);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 0);
        vm.startPrank(owner);
        vm.expectRevert(abi.encodeWithSelector(Vault.HouseResultTooOld.selector, 0));
        vault.withdrawHouse(address(usdg), 5e6, owner);
        vault.withdrawHouse(ETH, 5 ether, owner);
    }

    function test_a_paused_vault_takes_no_result_so_a_stolen_key_cannot_turn_players_money_into_the_houses() public {
        depositAs(player, ETH, 5 ether);
        vm.prank(owner);
        vault.pause();
        vm.prank(relayer);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        vault.recordHouseResult(ETH, 5 ether);
        assertEq(vault.houseFunds(ETH), 0);
        vm.prank(owner);
        vault.unpause();
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 5 ether);
    }

    function test_a_result_is_bounded_so_no_sum_with_it_overflows() public {
        fundAs(player, ETH, 5 ether);
        vm.startPrank(relayer);
        (int256 least, int256 most) = (type(int128).min, type(int128).max);
        vm.expectRevert(Vault.ResultOutOfBounds.selector);
        vault.recordHouseResult(ETH, least - 1);
        vm.expectRevert(Vault.ResultOutOfBounds.selector);
        vault.recordHouseResult(ETH, most + 1);
        vault.recordHouseResult(ETH, least);
        assertEq(vault.houseFunds(ETH), 0);
        vault.recordHouseResult(ETH, most);
        assertEq(vault.houseFunds(ETH), 5 ether);
    }

    function test_only_the_owner_pauses_and_withdraws_the_houses_share() public {
        vm.startPrank(relayer);
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, relayer);
        vm.expectRevert(refusal);
        vault.pause();
        vm.expectRevert(refusal);
        vault.unpause();
        vm.expectRevert(refusal);
        vault.announceRelayer(relayer);
        vault.recordHouseResult(ETH, 0);
        vm.expectRevert(refusal);
        vault.withdrawHouse(ETH, 1, relayer);
    }

    function test_a_new_relayer_takes_over_two_days_after_its_announcement() public {
        address next = makeAddr("next");
        vm.expectEmit(address(vault));
        emit Vault.RelayerAnnounced(next, block.timestamp + 2 days);
        vm.prank(owner);
        vault.announceRelayer(next);
        vm.prank(next);
        vm.expectRevert(abi.encodeWithSelector(Vault.TooEarly.selector, block.timestamp + 2 days));
        vault.takeOverAsRelayer();
        skip(2 days);
        vm.prank(owner);
        vm.expectRevert(Vault.NotNextRelayer.selector);
        vault.takeOverAsRelayer();
        vm.expectEmit(address(vault));
        emit Vault.RelayerChanged(next);
        vm.prank(next);
        vault.takeOverAsRelayer();
        assertEq(vault.relayer(), next);
        vm.prank(next);
        vm.expectRevert(Vault.NotNextRelayer.selector);
        vault.takeOverAsRelayer();
    }

    function test_a_relayer_that_does_not_take_over_within_a_week_must_be_announced_again() public {
        address next = makeAddr("next");
        vm.prank(owner);
        vault.announceRelayer(next);
        uint256 until = block.timestamp + 9 days;
        skip(9 days + 1);
        vm.prank(next);
        vm.expectRevert(abi.encodeWithSelector(Vault.TooLate.selector, until));
        vault.takeOverAsRelayer();
        assertEq(vault.relayer(), relayer);
        vm.prank(owner);
        vault.announceRelayer(next);
        skip(9 days);
        vm.prank(next);
        vault.takeOverAsRelayer();
        assertEq(vault.relayer(), next);
    }

    function test_a_cancelled_or_replaced_announcement_has_no_effect() public {
        (address next, address other) = (makeAddr("next"), makeAddr("other"));
        vm.startPrank(owner);
        vault.announceRelayer(next);
        vault.announceRelayer(other);
        vm.stopPrank();
        skip(2 days);
        vm.prank(next);
        vm.expectRevert(Vault.NotNextRelayer.selector);
        vault.takeOverAsRelayer();
        vm.prank(owner);
        vault.announceRelayer(address(0));
        skip(2 days);
        vm.prank(other);
        vm.expectRevert(Vault.NotNextRelayer.selector);
        vault.takeOverAsRelayer();
    }

    function testFuzz_the_announced_relayer_takes_over_within_its_week_only(address next, uint32 waited) public {
        vm.assume(next != address(0));
        vm.prank(owner);
        vault.announceRelayer(next);
        uint256 from = block.timestamp + 2 days;
        skip(bound(waited, 0, 30 days));
        bool isTooEarly = block.timestamp < from;
        bool isTooLate = block.timestamp > from + 7 days;
        if (isTooEarly) vm.expectRevert(abi.encodeWithSelector(Vault.TooEarly.selector, from));
        if (isTooLate) vm.expectRevert(abi.encodeWithSelector(Vault.TooLate.selector, from + 7 days));
        vm.prank(next);
        vault.takeOverAsRelayer();
        assertEq(vault.relayer(), isTooEarly || isTooLate ? relayer : next);
    }

    function test_ownership_changes_in_two_steps_and_cannot_be_renounced() public {
        address next = makeAddr("next");
        vm.prank(owner);
        vault.transferOwnership(next);
        assertEq(vault.owner(), owner);
        vm.prank(next);
        vault.acceptOwnership();
        assertEq(vault.owner(), next);
        vm.prank(next);
        vm.expectRevert(Vault.NeedsOwner.selector);
        vault.renounceOwnership();
    }

    function testFuzz_the_houses_share_is_the_holdings_beyond_the_players_share(
        uint96 deposited,
        uint96 funded,
        int96 result
    ) public {
        vm.assume(deposited > 0 && funded > 0);
        vm.deal(player, uint256(deposited) + funded);
        depositAs(player, ETH, deposited);
        fundAs(player, ETH, funded);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, result);
        int256 owed = int256(uint256(deposited)) - result;
        int256 house = int256(uint256(deposited) + funded) - (owed > 0 ? owed : int256(0));
        assertEq(int256(vault.houseFunds(ETH)), house > 0 ? house : int256(0));
    }
}
