// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {BoxKinds} from "../src/BoxKinds.sol";
import {BoxNft} from "../src/BoxNft.sol";
import {BoxTest} from "./BoxTest.sol";

/// Buys in its constructor, before it has code.
contract BuysInConstructor {
    constructor(BoxNft boxes) payable {
        boxes.buy{value: msg.value}(0);
    }
}

contract Refuses {
    receive() external payable {
        revert();
    }
}

contract BoxSaleTest is BoxTest {
    function test_a_bought_box_is_closed() public {
        uint256 expected = draw(player, 0);
        vm.expectEmit(address(boxes));
        emit BoxNft.Bought(expected, player, 1, 1);
        uint256 boxId = buyAs(player, 1);
        assertEq(boxId, expected);
        BoxNft.Box memory box = boxes.box(boxId);
        assertEq(box.owner, player);
        assertEq(box.boxId, boxId);
        assertEq(box.kind, 1);
        assertEq(box.batch, 1);
        assertEq(box.nonce, nonceOf(boxId));
        assertFalse(box.isOpened);
        assertEq(boxes.boughtBy(player), 1);
        assertEq(address(boxes).balance, 2 * PRICE);
    }

    /// Returns the id according to the published rule.
    function draw(address buyer, uint256 serial) private view returns (uint256) {
        bytes32 parent = blockhash(vm.getBlockNumber() - 1);
        return uint256(keccak256(abi.encode(block.prevrandao, parent, buyer, serial, address(boxes))));
    }

    function test_an_id_depends_on_block_buyer_serial_and_contract() public {
        uint256 first = buyAs(player, 0);
        uint256 second = buyAs(player, 0);
        assertEq(second, draw(player, 1));
        assertNotEq(first, second);
        assertNotEq(first, buyAs(other, 0));
        nextBlock();
        assertEq(buyAs(player, 0), draw(player, 2));
    }

    function test_earlier_purchases_of_others_do_not_change_the_draw(uint8 others) public {
        uint256 expected = draw(player, 0);
        for (uint256 i = 0; i < others % 4; i++) buyAs(other, i % 2);
        assertEq(buyAs(player, 0), expected);
    }

    function test_only_the_exact_price_is_accepted(uint96 value) public {
        vm.assume(value != PRICE);
        vm.deal(player, value);
        vm.prank(player, player);
        vm.expectRevert(abi.encodeWithSelector(BoxNft.WrongPrice.selector, PRICE));
        boxes.buy{value: value}(0);
    }

    function test_contracts_cannot_buy_even_from_their_constructor() public {
        vm.expectRevert(BoxNft.NotPlainAccount.selector);
        boxes.buy{value: PRICE}(0);
        vm.deal(address(this), PRICE);
        vm.expectRevert(BoxNft.NotPlainAccount.selector);
        new BuysInConstructor{value: PRICE}(boxes);
        vm.prank(address(this), player);
        vm.expectRevert(BoxNft.NotPlainAccount.selector);
        boxes.buy{value: PRICE}(0);
    }

    function test_accounts_with_EIP_7702_code_cannot_buy() public {
        vm.etch(player, abi.encodePacked(hex"ef0100", address(this)));
        vm.prank(player, player);
        vm.expectRevert(BoxNft.NotPlainAccount.selector);
        boxes.buy{value: PRICE}(0);
    }

    function test_nothing_is_sold_without_a_batch() public {
        boxes = new BoxNft(owner, signer, token);
        vm.prank(owner);
        boxes.addKind(uint128(PRICE), evenTiers(1));
        expectNoSale();
    }

    function expectNoSale() private {
        vm.prank(player, player);
        vm.expectRevert(BoxNft.NoSale.selector);
        boxes.buy{value: PRICE}(0);
    }

    function test_nothing_is_sold_in_the_block_that_opens_a_batch() public {
        publish();
        vm.prank(owner);
        vm.expectEmit(address(boxes));
        emit BoxNft.BatchOpened(2, NEW_HASH);
        boxes.openBatch(NEW_HASH);
        expectNoSale();
        nextBlock();
        assertEq(boxes.box(buyAs(player, 0)).batch, 2);
    }

    function test_nothing_is_sold_after_the_batch_stops_or_ends() public {
        buyAs(player, 0);
        vm.expectEmit(address(boxes));
        emit BoxNft.BatchStopped(1);
        stopBatch();
        expectNoSale();
        nextBlock();
        expectNoSale();
        vm.expectEmit(address(boxes));
        emit BoxNft.BatchEnded(1, PEPPER);
        boxes.endBatch(PEPPER);
        expectNoSale();
    }

    function test_anyone_can_publish_the_right_pepper_once(bytes32 wrong) public {
        vm.assume(wrong != PEPPER);
        stopBatch();
        nextBlock();
        vm.startPrank(other);
        vm.expectRevert(BoxNft.WrongPepper.selector);
        boxes.endBatch(wrong);
        boxes.endBatch(PEPPER);
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotStopped.selector, 1));
        boxes.endBatch(PEPPER);
        (uint256 number, BoxNft.Batch memory batch) = boxes.currentBatch();
        assertEq(number, 1);
        assertEq(batch.pepperHash, HASH);
        assertEq(batch.pepper, PEPPER);
        assertTrue(batch.isEnded);
    }

    /// Someone who sees the pepper in a pending transaction must not be able to buy before it is mined.
    function test_the_pepper_cannot_be_published_during_the_sale_or_in_the_block_that_stops_it() public {
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotStopped.selector, 1));
        boxes.endBatch(PEPPER);
        stopBatch();
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotStopped.selector, 1));
        boxes.endBatch(PEPPER);
    }

    function test_a_batch_can_be_stopped_once() public {
        stopBatch();
        vm.prank(owner);
        vm.expectRevert(BoxNft.NoSale.selector);
        boxes.stopBatch();
        boxes = new BoxNft(owner, signer, token);
        vm.prank(owner);
        vm.expectRevert(BoxNft.NoSale.selector);
        boxes.stopBatch();
    }

    function test_a_new_batch_requires_the_last_pepper_published_and_a_new_hash() public {
        vm.startPrank(owner);
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotEnded.selector, 1));
        boxes.openBatch(NEW_HASH);
        boxes.stopBatch();
        nextBlock();
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotEnded.selector, 1));
        boxes.openBatch(NEW_HASH);
        boxes.endBatch(PEPPER);
        vm.expectRevert(BoxNft.WrongHash.selector);
        boxes.openBatch(HASH);
        vm.expectRevert(BoxNft.WrongHash.selector);
        boxes.openBatch(0);
        assertEq(boxes.openBatch(NEW_HASH), 2);
    }

    function test_a_kind_is_shown_as_it_was_added() public view {
        BoxKinds.Kind[] memory kinds = boxes.kinds();
        assertEq(kinds.length, 2);
        assertEq(kinds[1].price, 2 * PRICE);
        assertEq(kinds[1].topPrize, 5000e18);
        assertTrue(kinds[1].isForSale);
        assertEq(abi.encode(kinds[1].tiers), abi.encode(tiers3(1, 5000e18, 9998, 1e18, 1, 77e18)));
    }

    function test_a_kind_can_be_taken_off_sale_and_put_back_on_sale() public {
        vm.prank(owner);
        vm.expectEmit(address(boxes));
        emit BoxKinds.KindForSale(0, false);
        boxes.setForSale(0, false);
        buyAs(player, 1);
        vm.prank(player, player);
        vm.expectRevert(abi.encodeWithSelector(BoxNft.NotForSale.selector, 0));
        boxes.buy{value: PRICE}(0);
        vm.prank(owner);
        boxes.setForSale(0, true);
        buyAs(player, 0);
    }

    function test_an_unknown_kind_is_not_sold() public {
        vm.prank(player, player);
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.UnknownKind.selector, 2));
        boxes.buy{value: PRICE}(2);
        vm.prank(owner);
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.UnknownKind.selector, 2));
        boxes.setForSale(2, true);
    }

    function test_a_kind_has_a_price_and_one_to_sixteen_tiers_that_sum_to_ten_thousand() public {
        vm.startPrank(owner);
        vm.expectRevert(BoxKinds.ZeroPrice.selector);
        boxes.addKind(0, evenTiers(1));
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.WrongTierCount.selector, 0));
        boxes.addKind(1, evenTiers(0));
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.WrongTierCount.selector, 17));
        boxes.addKind(1, evenTiers(17));
        vm.expectRevert(BoxKinds.ZeroBps.selector);
        boxes.addKind(1, tiers3(5000, 1, 0, 1, 5000, 1));
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.WrongBps.selector, 9_999));
        boxes.addKind(1, tiers3(5000, 1, 1, 1, 4998, 1));
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.WrongBps.selector, 10_001));
        boxes.addKind(1, tiers3(5000, 1, 1, 1, 5000, 1));
        vm.expectEmit(address(boxes));
        emit BoxKinds.KindAdded(2, 1);
        assertEq(boxes.addKind(1, evenTiers(16)), 2);
    }

    function test_there_are_at_most_thirty_two_kinds() public {
        vm.startPrank(owner);
        for (uint256 i = 2; i < 32; i++) boxes.addKind(1, evenTiers(1));
        vm.expectRevert(BoxKinds.TooManyKinds.selector);
        boxes.addKind(1, evenTiers(1));
    }

    function test_the_owner_withdraws_the_proceeds() public {
        buyAs(player, 0);
        vm.startPrank(owner);
        vm.expectRevert(BoxNft.ZeroAddress.selector);
        boxes.withdrawProceeds(payable(0), 1);
        vm.expectRevert(abi.encodeWithSelector(Errors.InsufficientBalance.selector, PRICE, PRICE + 1));
        boxes.withdrawProceeds(payable(owner), PRICE + 1);
        Refuses refuses = new Refuses();
        vm.expectRevert(Errors.FailedCall.selector);
        boxes.withdrawProceeds(payable(refuses), 1);
        address payable treasury = payable(makeAddr("treasury"));
        vm.expectEmit(address(boxes));
        emit BoxNft.ProceedsWithdrawn(treasury, PRICE);
        boxes.withdrawProceeds(treasury, PRICE);
        assertEq(treasury.balance, PRICE);
        assertEq(address(boxes).balance, 0);
    }

    function test_only_the_owner_runs_the_sale() public {
        vm.startPrank(signer);
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, signer);
        bytes[6] memory calls = [
            abi.encodeCall(boxes.addKind, (1, evenTiers(1))),
            abi.encodeCall(boxes.setForSale, (0, false)),
            abi.encodeCall(boxes.openBatch, (NEW_HASH)),
            abi.encodeCall(boxes.stopBatch, ()),
            abi.encodeCall(boxes.setSigner, (player)),
            abi.encodeCall(boxes.withdrawProceeds, (payable(player), 0))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done, bytes memory answer) = address(boxes).call(calls[i]);
            assertFalse(done);
            assertEq(answer, refusal);
        }
    }

    function test_there_is_always_an_owner_and_a_new_one_must_accept() public {
        vm.startPrank(owner);
        vm.expectRevert(BoxNft.NeedsOwner.selector);
        boxes.renounceOwnership();
        boxes.transferOwnership(other);
        assertEq(boxes.owner(), owner);
        vm.startPrank(other);
        boxes.acceptOwnership();
        assertEq(boxes.owner(), other);
    }
}
