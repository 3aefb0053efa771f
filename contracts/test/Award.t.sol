// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {Award} from "../src/Award.sol";
import {BoxKinds} from "../src/BoxKinds.sol";
import {BoxNft} from "../src/BoxNft.sol";
import {BoxTest} from "./BoxTest.sol";
import {CallbackToken} from "./CallbackToken.sol";

contract AwardTest is BoxTest {
    function test_anyone_can_claim_a_prize_for_the_box_owner() public {
        uint256 boxId = buyAs(player, 0);
        openTo(boxId, 2);
        vm.expectEmit(address(award));
        emit Award.Claimed(boxId, player, 1000e18, nonceOf(boxId));
        vm.prank(other);
        award.claim(boxId, nonceOf(boxId));
        assertEq(token.balanceOf(player), 1000e18);
        assertEq(token.balanceOf(other), 0);
        assertEq(award.paid(), 1000e18);
        assertTrue(award.isClaimed(nonceOf(boxId)));
    }

    function test_a_prize_is_paid_once_even_if_the_box_changes_owner() public {
        uint256 boxId = buyAs(player, 0);
        openTo(boxId, 2);
        award.claim(boxId, nonceOf(boxId));
        bytes memory refusal = abi.encodeWithSelector(Award.AlreadyClaimed.selector, nonceOf(boxId));
        vm.expectRevert(refusal);
        award.claim(boxId, nonceOf(boxId));
        vm.prank(player);
        boxes.transferFrom(player, other, boxId);
        vm.prank(other);
        vm.expectRevert(refusal);
        award.claim(boxId, nonceOf(boxId));
        assertEq(token.balanceOf(player) + token.balanceOf(other), 1000e18);
    }

    function test_a_prize_cannot_be_claimed_again_while_it_is_being_paid() public {
        CallbackToken callbackToken = new CallbackToken();
        boxes = new BoxNft(owner, signer, callbackToken);
        award = boxes.AWARD();
        callbackToken.mint(address(award), FUNDS);
        vm.startPrank(owner);
        boxes.addKind(uint128(PRICE), tiers3(7000, 0, 2500, 10e18, 500, 1000e18));
        boxes.openBatch(HASH);
        vm.stopPrank();
        nextBlock();
        uint256 boxId = buyAs(player, 0);
        openTo(boxId, 2);
        callbackToken.callOnTransfer(address(award), abi.encodeCall(Award.claim, (boxId, nonceOf(boxId))));
        award.claim(boxId, nonceOf(boxId));
        assertEq(callbackToken.answer(), abi.encodeWithSelector(Award.AlreadyClaimed.selector, nonceOf(boxId)));
        assertEq(callbackToken.balanceOf(player), 1000e18);
    }

    function test_a_closed_box_cannot_claim() public {
        uint256 boxId = buyAs(player, 0);
        vm.expectRevert(abi.encodeWithSelector(Award.NotOpened.selector, boxId));
        award.claim(boxId, nonceOf(boxId));
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721NonexistentToken.selector, 7));
        award.claim(7, nonceOf(7));
    }

    function test_a_claim_needs_the_nonce_the_box_was_opened_with(bytes32 wrong) public {
        uint256 boxId = buyAs(player, 0);
        vm.assume(wrong != nonceOf(boxId));
        openTo(boxId, 2);
        vm.expectRevert(abi.encodeWithSelector(Award.WrongNonce.selector, nonceOf(boxId)));
        award.claim(boxId, wrong);
    }

    function test_the_owner_at_the_time_of_the_claim_gets_the_prize() public {
        uint256 boxId = buyAs(player, 0);
        openTo(boxId, 1);
        vm.prank(player);
        boxes.transferFrom(player, other, boxId);
        award.claim(boxId, nonceOf(boxId));
        assertEq(token.balanceOf(other), 10e18);
        assertEq(award.claimedBy(other), 1);
        assertEq(award.claimedBy(player), 0);
    }

    function test_a_box_without_a_prize_can_be_claimed() public {
        uint256 boxId = buyAs(player, 0);
        openTo(boxId, 0);
        award.claim(boxId, nonceOf(boxId));
        assertTrue(award.isClaimed(nonceOf(boxId)));
        assertEq(token.balanceOf(player), 0);
    }

    function test_the_owner_withdraws_only_what_no_box_can_win() public {
        uint256 top = buyAs(player, 0);
        buyAs(player, 0);
        buyAs(player, 1);
        assertEq(award.owed(), 1000e18 + 1000e18 + 5000e18);
        openTo(top, 1);
        assertEq(award.owed(), 10e18 + 1000e18 + 5000e18);
        award.claim(top, nonceOf(top));
        assertEq(award.owed(), 1000e18 + 5000e18);
        uint256 leftover = FUNDS - 10e18 - 6000e18;
        assertEq(award.leftover(), leftover);
        vm.startPrank(owner);
        vm.expectRevert(abi.encodeWithSelector(Award.AboveLeftover.selector, leftover));
        award.withdraw(owner, leftover + 1);
        vm.expectRevert(Award.ZeroAddress.selector);
        award.withdraw(address(0), 1);
        vm.expectEmit(address(award));
        emit Award.Withdrawn(other, leftover);
        award.withdraw(other, leftover);
        assertEq(token.balanceOf(other), leftover);
        assertEq(token.balanceOf(address(award)), 6000e18);
    }

    function test_a_box_is_sold_only_while_the_leftover_covers_its_top_prize() public {
        keepOnly(1999e18);
        buyAs(player, 0);
        uint256 held = player.balance;
        expectNotCovered(player, 0, 999e18);
        expectNotCovered(player, 1, 999e18);
        assertEq(player.balance, held);
        assertEq(boxes.boughtBy(player), 1);
        vm.prank(owner);
        token.mint(address(award), 1e18);
        buyAs(player, 0);
        assertEq(award.leftover(), 0);
    }

    function test_the_top_prize_is_reserved_until_the_opening_and_the_prize_until_the_claim() public {
        keepOnly(1500e18);
        uint256 boxId = buyAs(player, 0);
        assertEq(award.leftover(), 500e18);
        openTo(boxId, 1);
        assertEq(award.leftover(), 1490e18);
        award.claim(boxId, nonceOf(boxId));
        assertEq(award.leftover(), 1490e18);
        openTo(buyAs(other, 0), 2);
        expectNotCovered(player, 0, 490e18);
    }

    function test_a_kind_without_prizes_is_sold_without_any_leftover() public {
        keepOnly(0);
        vm.prank(owner);
        uint256 kind = boxes.addKind(1, evenTiers(1));
        buyAs(player, kind);
    }

    function test_the_owner_with_a_signer_of_its_own_cannot_take_a_prize_that_is_won() public {
        uint256 won = buyAs(player, 0);
        openTo(won, 2);
        expectNotCovered(owner, addSureWin(FUNDS), FUNDS - 1000e18);
        uint256 own = buyAs(owner, addSureWin(FUNDS - 1000e18));
        appointOwnSigner();
        openTo(own, 0, FUNDS - 1000e18);
        award.claim(own, nonceOf(own));
        assertEq(award.leftover(), 0);
        award.claim(won, nonceOf(won));
        assertEq(token.balanceOf(player), 1000e18);
    }

    function test_the_owner_with_a_batch_of_its_own_cannot_take_the_prize_of_a_published_box() public {
        uint256 boxId = buyAs(player, 1);
        publish();
        bytes32 pepper = keccak256("the owner's pepper");
        bytes32 hash = sha256(abi.encodePacked(pepper));
        vm.prank(owner);
        boxes.openBatch(hash);
        nextBlock();
        expectNotCovered(owner, addSureWin(FUNDS), FUNDS - 5000e18);
        uint256 own = buyAs(owner, addSureWin(FUNDS - 5000e18));
        stopBatch();
        nextBlock();
        boxes.endBatch(pepper);
        boxes.openPublished(own);
        award.claim(own, nonceOf(own));
        boxes.openPublished(boxId);
        award.claim(boxId, nonceOf(boxId));
        assertEq(token.balanceOf(player), prizeOf(1, expectedTier(boxId, 1)));
    }

    /// The contract can't protect a closed box before its pepper is published.
    function test_the_owner_with_a_signer_of_its_own_can_open_a_closed_box_to_the_lowest_tier() public {
        uint256 boxId = buyAs(player, 0);
        appointOwnSigner();
        openTo(boxId, 0);
        keepOnly(0);
    }

    function appointOwnSigner() private {
        (signer, signerKey) = makeAddrAndKey("the owner's signer");
        vm.prank(owner);
        boxes.setSigner(signer);
    }

    /// Withdraws everything except `amount`.
    function keepOnly(uint256 amount) private {
        vm.prank(owner);
        award.withdraw(owner, FUNDS - amount);
    }

    /// Adds a kind that costs one wei and always wins `prize`.
    function addSureWin(uint256 prize) private returns (uint256) {
        BoxKinds.Tier[] memory tiers = new BoxKinds.Tier[](1);
        tiers[0] = BoxKinds.Tier(10_000, uint128(prize));
        vm.prank(owner);
        return boxes.addKind(1, tiers);
    }

    function expectNotCovered(address buyer, uint256 kind, uint256 leftover) private {
        uint256 price = boxes.kinds()[kind].price;
        vm.prank(buyer, buyer);
        vm.expectRevert(abi.encodeWithSelector(BoxNft.PrizeNotCovered.selector, leftover));
        boxes.buy{value: price}(kind);
    }

    function test_only_the_owner_withdraws_and_there_is_always_an_owner() public {
        vm.prank(player);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, player));
        award.withdraw(player, 1);
        vm.startPrank(owner);
        vm.expectRevert(Award.NeedsOwner.selector);
        award.renounceOwnership();
        award.transferOwnership(other);
        assertEq(award.owner(), owner);
    }

    function test_boxes_deploy_their_award_contract_which_needs_a_token() public {
        assertEq(address(award.BOXES()), address(boxes));
        assertEq(address(award.TOKEN()), address(token));
        assertEq(award.owner(), owner);
        vm.expectRevert(Award.ZeroAddress.selector);
        new BoxNft(owner, signer, IERC20(address(0)));
    }

    function test_one_call_returns_a_wallets_boxes_and_whether_each_is_paid() public {
        uint256[3] memory ids;
        for (uint256 i = 0; i < 3; i++) ids[i] = buyAs(player, 0);
        openTo(ids[1], 1);
        openTo(ids[2], 1);
        award.claim(ids[2], nonceOf(ids[2]));
        (BoxNft.Box[] memory page, bool[] memory areClaimed) = award.boxesOf(player, 1, 100);
        assertEq(abi.encode(page), abi.encode(boxes.boxesOf(player, 1, 2)));
        assertEq(areClaimed.length, 2);
        assertFalse(areClaimed[0]);
        assertTrue(areClaimed[1]);
        (uint256 bought, uint256 opened, uint256 claimed) = award.totalsOf(player);
        assertEq(bought, 3);
        assertEq(opened, 2);
        assertEq(claimed, 1);
    }
}

contract RewardTokenTest is BoxTest {
    function test_the_reward_token_has_its_name_symbol_decimals_and_cap() public view {
        assertEq(token.name(), "Fairhouse Reward");
        assertEq(token.symbol(), "FHR");
        assertEq(token.decimals(), 18);
        assertEq(token.cap(), 100_000_000e18);
    }

    function test_only_the_owner_mints_up_to_the_cap() public {
        vm.prank(signer);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, signer));
        token.mint(signer, 1);
        uint256 rest = token.cap() - token.totalSupply();
        vm.startPrank(owner);
        token.mint(player, rest);
        vm.expectRevert(
            abi.encodeWithSelector(ERC20Capped.ERC20ExceededCap.selector, token.cap() + 1, token.cap())
        );
        token.mint(player, 1);
        token.transferOwnership(other);
        assertEq(token.owner(), owner);
    }

    function test_a_permit_sets_an_allowance_without_a_transaction_of_the_holder() public {
        (address holder, uint256 key) = makeAddrAndKey("holder");
        bytes32 typeHash =
            keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 message = keccak256(abi.encode(typeHash, holder, other, 5, 0, block.timestamp));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(key, keccak256(abi.encodePacked("\x19\x01", token.DOMAIN_SEPARATOR(), message)));
        token.permit(holder, other, 5, block.timestamp, v, r, s);
        assertEq(token.allowance(holder, other), 5);
    }
}
