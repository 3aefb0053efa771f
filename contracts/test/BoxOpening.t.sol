// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {BoxKinds} from "../src/BoxKinds.sol";
import {BoxNft} from "../src/BoxNft.sol";
import {BoxTest} from "./BoxTest.sol";

contract BoxOpeningTest is BoxTest {
    function test_anyone_can_open_a_signed_box_for_its_owner() public {
        uint256 boxId = buyAs(player, 0);
        bytes memory signature = sign(signerKey, digest(boxId, 2, 1000e18, nonceOf(boxId)));
        vm.expectEmit(address(boxes));
        emit BoxNft.Opened(boxId, 2, 1000e18, nonceOf(boxId));
        vm.prank(other);
        boxes.open(boxId, 2, 1000e18, nonceOf(boxId), signature);
        BoxNft.Box memory box = boxes.box(boxId);
        assertTrue(box.isOpened);
        assertEq(box.tier, 2);
        assertEq(box.prize, 1000e18);
        assertEq(box.owner, player);
        assertEq(boxes.openedBy(player), 1);
        assertEq(boxes.openedBy(other), 0);
    }

    function test_a_box_shows_its_kind_and_once_it_is_opened_its_tier() public {
        uint256 boxId = buyAs(player, 1);
        string memory closed = metadataOf(boxId);
        assertEq(vm.parseJsonString(closed, ".attributes[0].value"), "1");
        assertEq(vm.parseJsonString(closed, ".attributes[1].value"), "1");
        assertEq(vm.parseJsonString(closed, ".attributes[2].value"), "closed");
        assertFalse(vm.keyExistsJson(closed, ".attributes[3]"));
        assertEq(vm.parseJsonString(closed, ".name"), "Fairhouse Box");
        bytes memory signature = sign(signerKey, digest(boxId, 2, 77e18, nonceOf(boxId)));
        vm.expectEmit(address(boxes));
        emit IERC4906.MetadataUpdate(boxId);
        boxes.open(boxId, 2, 77e18, nonceOf(boxId), signature);
        string memory opened = metadataOf(boxId);
        assertEq(vm.parseJsonString(opened, ".attributes[2].value"), "opened");
        assertEq(vm.parseJsonString(opened, ".attributes[3].value"), "2");
        assertNotEq(vm.parseJsonString(opened, ".image"), vm.parseJsonString(closed, ".image"));
        assertTrue(boxes.supportsInterface(0x49064906));
        assertTrue(boxes.supportsInterface(0x80ac58cd));
        assertFalse(boxes.supportsInterface(0xffffffff));
    }

    function test_an_unsold_box_has_no_metadata() public {
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721NonexistentToken.selector, 1));
        boxes.tokenURI(1);
    }

    function metadataOf(uint256 boxId) private view returns (string memory) {
        string memory uri = boxes.tokenURI(boxId);
        return string(Base64.decode(vm.split(uri, "base64,")[1]));
    }

    function test_a_box_opens_once() public {
        uint256 boxId = buyAs(player, 0);
        openHonestly(boxId);
        for (uint256 tier = 0; tier < 3; tier++) {
            bytes memory signature = sign(signerKey, digest(boxId, tier, prizeOf(0, tier), nonceOf(boxId)));
            vm.expectRevert(abi.encodeWithSelector(BoxNft.AlreadyOpened.selector, boxId));
            boxes.open(boxId, tier, prizeOf(0, tier), nonceOf(boxId), signature);
        }
        publish();
        vm.expectRevert(abi.encodeWithSelector(BoxNft.AlreadyOpened.selector, boxId));
        boxes.openPublished(boxId);
    }

    function test_a_signature_is_bound_to_chain_contract_box_tier_prize_nonce_and_signer() public {
        (uint256 boxId, uint256 otherBox) = (buyAs(player, 0), buyAs(other, 0));
        bytes32 nonce = nonceOf(boxId);
        (, uint256 otherKey) = makeAddrAndKey("forger");
        bytes[9] memory signatures = [
            sign(signerKey, digestFor(address(boxes), block.chainid + 1, boxId, 2, 1000e18, nonce)),
            sign(signerKey, digestFor(address(this), block.chainid, boxId, 2, 1000e18, nonce)),
            sign(signerKey, digest(otherBox, 2, 1000e18, nonce)),
            sign(signerKey, digest(boxId, 1, 1000e18, nonce)),
            sign(signerKey, digest(boxId, 2, 1001e18, nonce)),
            sign(signerKey, digest(boxId, 2, 1000e18, nonceOf(otherBox))),
            sign(otherKey, digest(boxId, 2, 1000e18, nonce)),
            hex"1234",
            new bytes(65)
        ];
        for (uint256 i = 0; i < signatures.length; i++) {
            vm.expectRevert(BoxNft.WrongSignature.selector);
            boxes.open(boxId, 2, 1000e18, nonce, signatures[i]);
        }
    }

    /// Signatures that are refused although they are the signer's.
    function test_the_signer_cannot_sign_another_prize_another_nonce_or_an_unknown_tier() public {
        (uint256 boxId, uint256 otherBox) = (buyAs(player, 0), buyAs(other, 0));
        bytes32 nonce = nonceOf(boxId);
        bytes memory signature = sign(signerKey, digest(boxId, 1, 1000e18, nonce));
        vm.expectRevert(abi.encodeWithSelector(BoxNft.WrongPrize.selector, 10e18));
        boxes.open(boxId, 1, 1000e18, nonce, signature);
        signature = sign(signerKey, digest(boxId, 1, 10e18, nonceOf(otherBox)));
        vm.expectRevert(abi.encodeWithSelector(BoxNft.WrongNonce.selector, nonce));
        boxes.open(boxId, 1, 10e18, nonceOf(otherBox), signature);
        signature = sign(signerKey, digest(boxId, 3, 0, nonce));
        vm.expectRevert(BoxNft.WrongTier.selector);
        boxes.open(boxId, 3, 0, nonce, signature);
        signature = sign(signerKey, digest(boxId, 256, 0, nonce));
        vm.expectRevert(BoxNft.WrongTier.selector);
        boxes.open(boxId, 256, 0, nonce, signature);
    }

    function test_an_unsold_box_does_not_open(uint256 boxId) public {
        bytes memory signature = sign(signerKey, digest(boxId, 0, 0, nonceOf(boxId)));
        bytes memory refusal = abi.encodeWithSelector(IERC721Errors.ERC721NonexistentToken.selector, boxId);
        vm.expectRevert(refusal);
        boxes.open(boxId, 0, 0, nonceOf(boxId), signature);
        vm.expectRevert(refusal);
        boxes.openPublished(boxId);
        vm.expectRevert(refusal);
        boxes.box(boxId);
    }

    /// Until publication, the contract accepts any tier that the signer signs. Afterwards everyone can see
    /// that the box was opened to a different tier than the pepper's.
    function test_before_publication_a_rogue_signer_can_open_to_any_tier_and_the_pepper_proves_it() public {
        uint256 boxId = buyAs(player, 0);
        uint256 wrong = (expectedTier(boxId, 0) + 1) % 3;
        openTo(boxId, wrong);
        assertEq(boxes.box(boxId).tier, wrong);
        publish();
        assertEq(boxes.tierOf(boxId), expectedTier(boxId, 0));
        assertNotEq(boxes.tierOf(boxId), boxes.box(boxId).tier);
    }

    function test_after_publication_anyone_can_open_without_the_house(bytes32 randao, uint8 kind) public {
        kind = kind % 2;
        vm.prevrandao(randao);
        uint256 boxId = buyAs(player, kind);
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotEnded.selector, 1));
        boxes.openPublished(boxId);
        publish();
        uint256 tier = expectedTier(boxId, kind);
        vm.expectEmit(address(boxes));
        emit BoxNft.Opened(boxId, tier, prizeOf(kind, tier), nonceOf(boxId));
        vm.prank(other);
        boxes.openPublished(boxId);
        assertEq(boxes.box(boxId).tier, tier);
        assertEq(boxes.box(boxId).prize, prizeOf(kind, tier));
    }

    function test_after_publication_a_signature_opens_only_to_the_true_tier() public {
        uint256 boxId = buyAs(player, 0);
        publish();
        uint256 tier = expectedTier(boxId, 0);
        for (uint256 i = 1; i < 3; i++) {
            uint256 wrong = (tier + i) % 3;
            bytes memory signature = sign(signerKey, digest(boxId, wrong, prizeOf(0, wrong), nonceOf(boxId)));
            vm.expectRevert(BoxNft.WrongTier.selector);
            boxes.open(boxId, wrong, prizeOf(0, wrong), nonceOf(boxId), signature);
        }
        openTo(boxId, tier);
        assertEq(boxes.box(boxId).tier, tier);
    }

    function test_a_box_opens_by_the_pepper_of_its_own_batch() public {
        uint256 boxId = buyAs(player, 0);
        publish();
        vm.prank(owner);
        boxes.openBatch(NEW_HASH);
        nextBlock();
        uint256 newBox = buyAs(player, 0);
        uint256 wrong = (expectedTier(boxId, 0) + 1) % 3;
        bytes memory signature = sign(signerKey, digest(boxId, wrong, prizeOf(0, wrong), nonceOf(boxId)));
        vm.expectRevert(BoxNft.WrongTier.selector);
        boxes.open(boxId, wrong, prizeOf(0, wrong), nonceOf(boxId), signature);
        boxes.openPublished(boxId);
        assertEq(boxes.box(boxId).tier, expectedTier(boxId, 0));
        vm.expectRevert(abi.encodeWithSelector(BoxNft.BatchNotEnded.selector, 2));
        boxes.openPublished(newBox);
        openTo(newBox, 1);
    }

    function test_the_tier_is_the_first_whose_sum_of_bps_exceeds_the_value(uint256 boxId, bytes32 pepper) public {
        vm.prank(owner);
        boxes.addKind(1, evenTiers(16));
        uint256 value = uint256(keccak256(abi.encode(boxId, pepper))) % 10_000;
        assertEq(boxes.tierBy(boxId, pepper, 2), value < 9985 ? 0 : value - 9984);
        assertEq(boxes.tierBy(boxId, pepper, 0), value < 7000 ? 0 : value < 9500 ? 1 : 2);
        vm.expectRevert(abi.encodeWithSelector(BoxKinds.UnknownKind.selector, 3));
        boxes.tierBy(boxId, pepper, 3);
    }

    function test_the_boundaries_between_tiers_are_exact() public view {
        uint16[6] memory values = [0, 6999, 7000, 9499, 9500, 9999];
        for (uint256 i = 0; i < values.length; i++) {
            uint256 boxId = 0;
            while (uint256(keccak256(abi.encode(boxId, PEPPER))) % 10_000 != values[i]) boxId++;
            assertEq(boxes.tierBy(boxId, PEPPER, 0), i / 2);
        }
    }

    function test_a_new_signer_replaces_the_former_immediately() public {
        uint256 boxId = buyAs(player, 0);
        (address next, uint256 nextKey) = makeAddrAndKey("next");
        bytes32 digest_ = digest(boxId, 1, 10e18, nonceOf(boxId));
        vm.startPrank(owner);
        vm.expectRevert(BoxNft.ZeroAddress.selector);
        boxes.setSigner(address(0));
        vm.expectEmit(address(boxes));
        emit BoxNft.SignerChanged(next);
        boxes.setSigner(next);
        vm.expectRevert(BoxNft.WrongSignature.selector);
        boxes.open(boxId, 1, 10e18, nonceOf(boxId), sign(signerKey, digest_));
        boxes.open(boxId, 1, 10e18, nonceOf(boxId), sign(nextKey, digest_));
        vm.expectRevert(BoxNft.ZeroAddress.selector);
        new BoxNft(owner, address(0), token);
    }

    function test_a_closed_box_stays_with_its_buyer() public {
        uint256 boxId = buyAs(player, 0);
        bytes memory refusal = abi.encodeWithSelector(BoxNft.StillClosed.selector, boxId);
        vm.startPrank(player);
        vm.expectRevert(refusal);
        boxes.transferFrom(player, other, boxId);
        vm.expectRevert(refusal);
        boxes.transferFrom(player, player, boxId);
        vm.expectRevert(refusal);
        boxes.safeTransferFrom(player, other, boxId);
        boxes.approve(other, boxId);
        boxes.setApprovalForAll(other, true);
        vm.startPrank(other);
        vm.expectRevert(refusal);
        boxes.transferFrom(player, other, boxId);
    }

    function test_only_its_owner_can_transfer_an_opened_box() public {
        uint256 boxId = buyAs(player, 0);
        openHonestly(boxId);
        vm.prank(other);
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721InsufficientApproval.selector, other, boxId));
        boxes.transferFrom(player, other, boxId);
        vm.prank(player);
        boxes.transferFrom(player, other, boxId);
        assertEq(boxes.ownerOf(boxId), other);
        assertEq(boxes.openedBy(player), 1);
        assertEq(boxes.openedBy(other), 0);
    }

    function test_a_wallets_boxes_are_paged_and_follow_transfers() public {
        uint256[5] memory ids;
        for (uint256 i = 0; i < 5; i++) ids[i] = buyAs(player, i % 2);
        assertEq(boxes.boxesOf(player, 0, 100).length, 5);
        assertEq(boxes.boxesOf(player, 5, 100).length, 0);
        assertEq(boxes.boxesOf(player, 6, 100).length, 0);
        assertEq(boxes.boxesOf(player, type(uint256).max, 100).length, 0);
        assertEq(boxes.boxesOf(player, 0, 0).length, 0);
        BoxNft.Box[] memory page = boxes.boxesOf(player, 1, 2);
        assertEq(page.length, 2);
        assertEq(page[0].boxId, ids[1]);
        assertEq(page[1].boxId, ids[2]);
        openHonestly(ids[1]);
        vm.prank(player);
        boxes.transferFrom(player, other, ids[1]);
        page = boxes.boxesOf(player, 0, 100);
        assertEq(page.length, 4);
        assertEq(page[1].boxId, ids[4]);
        page = boxes.boxesOf(other, 0, 100);
        assertEq(page.length, 1);
        assertEq(abi.encode(page[0]), abi.encode(boxes.box(ids[1])));
        vm.prank(other);
        boxes.transferFrom(other, other, ids[1]);
        assertEq(boxes.boxesOf(other, 0, 100).length, 1);
        vm.expectRevert(BoxNft.PageTooLong.selector);
        boxes.boxesOf(player, 0, 101);
    }
}
